"""What the commands of `dap-ai run` share: their arguments, how texts are shown, the pager."""

def share(total, people):
    return total / people  # @bp


print(share(10, 0))

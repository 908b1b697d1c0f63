"""An HTTP endpoint on loopback in the model's place: it passes everything on, as it comes, and records it."""

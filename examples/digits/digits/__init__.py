"""A small convolutional network that reads handwritten digits."""

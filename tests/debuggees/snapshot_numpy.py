import numpy

a = numpy.random.default_rng(3).random((600, 600))
product = a @ a
print(product.shape)  # @bp

"""Tests of Twisted's trial, and one whose runner keeps the traceback apart from the exception, as trial has done."""

import sys
import unittest

import stats
from twisted.internet import defer, reactor
from twisted.trial import unittest as trial


def later(value):
    deferred = defer.Deferred()
    reactor.callLater(0.01, deferred.callback, value)
    return deferred


class Trialled(trial.TestCase):
    def test_of_mean_by_trial(self):
        self.assertEqual(stats.mean([1, 2, 3]), 2)

    @defer.inlineCallbacks
    def test_of_mean_by_callbacks(self):
        numbers = yield later([1, 2, 3])
        self.assertEqual(stats.mean(numbers), 2)

    def test_in_mean_by_deferred(self):
        return later([1]).addCallback(stats.mean)

    def test_without_a_frame(self):
        return later([1, 2, 3]).addCallback(stats.mean).addCallback(self.assertEqual, 2)

    def test_never_raised(self):
        return defer.fail(KeyError("never raised"))

    def test_without_end(self):
        return defer.Deferred()

    test_without_end.timeout = 0.1


class Apart(unittest.TestCase):
    def run(self, result=None):
        result.startTest(self)
        try:
            self.test_of_mean_apart()
        except AssertionError:
            kind, error, traceback = sys.exc_info()
        error.__traceback__ = None
        result.addFailure(self, (kind, error, traceback))
        result.stopTest(self)

    def test_of_mean_apart(self):
        self.assertEqual(stats.mean([1, 2, 3]), 2)

// The tests use the same generator as the users of Pledge.
@_exported public import struct PledgeFutures.SeededGenerator

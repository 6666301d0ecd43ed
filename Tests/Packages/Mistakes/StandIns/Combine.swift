/// What Apple's Combine declares under this name, as far as the compiler's words depend on it.
public final class Future<Output, Failure: Error> {}

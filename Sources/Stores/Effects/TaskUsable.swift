#if compiler(>=6.2)
/// What a generic type has to be so that a task may use it: `SendableMetatype`.
///
/// Compilers before 6.2 do not know that protocol, and ask for nothing.
@_documentation(visibility: internal)
public typealias TaskUsable = SendableMetatype
#else
/// What a generic type has to be so that a task may use it: anything.
@_documentation(visibility: internal)
public typealias TaskUsable = Any
#endif

#if compiler(>=6.2)
/// The requirement on a generic type that a task uses: `SendableMetatype`.
///
/// Compilers before 6.2 do not have that protocol, and require nothing.
@_documentation(visibility: internal)
public typealias TaskUsable = SendableMetatype
#else
/// The requirement on a generic type that a task uses: none.
@_documentation(visibility: internal)
public typealias TaskUsable = Any
#endif

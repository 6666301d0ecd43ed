// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// With the signatures of Apple's SDK and with empty bodies.
@_exported public import AppleFoundation

@frozen @propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    @preconcurrency public init(
        get: @escaping @isolated(any) @Sendable () -> Value,
        set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Subject>(
        dynamicMember path: WritableKeyPath<Value, Subject>
    ) -> Binding<Subject> { fatalError() }
}

extension Binding: @unchecked Sendable where Value: Sendable {}

@frozen @propertyWrapper public struct State<Value> {
    public init(wrappedValue value: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError() }
}

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View

    @ViewBuilder var body: Body { get }
}

extension Never: View { public var body: Never { fatalError() } }

@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    @_disfavoredOverload public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { fatalError() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

extension Optional: View where Wrapped: View { public var body: Never { fatalError() } }

public struct TupleView<Content>: View { public var body: Never { fatalError() } }

public struct LocalizedStringKey: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
}

public struct Text: View {
    public init(_ key: LocalizedStringKey) {}
    @_disfavoredOverload public init<Content: StringProtocol>(_ content: Content) {}
    public var body: Never { fatalError() }
}

public struct Button<Label: View>: View { public var body: Never { fatalError() } }

extension Button where Label == Text {
    public init(_ key: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
}

public struct TextField<Label: View>: View { public var body: Never { fatalError() } }

extension TextField where Label == Text {
    public init(_ key: LocalizedStringKey, text: Binding<String>) {}
}

public struct EmptyView: View { public var body: Never { fatalError() } }

public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
    public var body: Never { fatalError() }
}

extension ProgressView where CurrentValueLabel == EmptyView {
    public init() where Label == EmptyView {}
    public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) where Label == EmptyView {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
    public var body: Never { fatalError() }
}

extension ForEach where ID == Data.Element.ID, Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

public struct List<SelectionValue: Hashable, Content: View>: View {
    public var body: Never { fatalError() }
}

extension List where SelectionValue == Never {
    public init(@ViewBuilder content: () -> Content) {}
    public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {}
}

public struct VStack<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

extension View {
    public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }

    public func task<T: Equatable>(
        id value: T, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }

    nonisolated public func refreshable(
        action: @escaping @Sendable () async -> Void
    ) -> some View { self }

    public func searchable(text: Binding<String>, prompt: Text? = nil) -> some View { self }
}

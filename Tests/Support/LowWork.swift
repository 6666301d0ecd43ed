package import PledgeFutures

#if compiler(>=6.2)
/// A future that a task of low priority produces, and the priorities that the task is raised to.
///
/// The task ends with the ``value`` that a test resolves.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
package struct LowWork: Sendable {
    package let future: Future<Int>
    package let value = Promise<Int>()
    /// Of the task, in order: an escalation is noted on the thread that escalates, before it continues.
    package let raises = TestLog<TaskPriority>()
    private let hasBegun = Promise<Void>()

    package init() {
        future = Future(priority: .background) { [value, raises, hasBegun] in
            try await withTaskPriorityEscalationHandler {
                hasBegun.resolve()
                return try await value.value
            } onPriorityEscalated: { _, priority in
                raises.append(priority)
            }
        }
    }

    /// Waits until the task would note an escalation.
    package func begin() async throws { try await hasBegun.soon }
}
#endif

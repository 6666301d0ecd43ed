import CPledgeTesting
import Dispatch
import PledgeFutures
import Synchronization

/// The hooks of the Swift runtime, by which tests in virtual time get the steps of their tasks.
///
/// The runtime asks a hook before it gives a step to the global executor or to the main actor's. No other way reaches
/// the steps of `Task { }` and of the main actor, which ignore a preference for an executor. The hooks stay once they
/// are there: they cost every other step in the process the read of a thread's variable and of a flag.
///
/// Invariant: the functions in CPledgeTesting have the types of the runtime's own, and the steps that they pass on are
/// run exactly once.
enum EnqueueHooks {
    /// Whether the runtime has the hooks; they are installed when this is first read.
    static let areInstalled: Bool = {
        guard ctesting_install(take) else { return false }
        ctesting_probe(true)
        Task {}
        ctesting_probe(false)
        // Whether steps on the main actor are reported is found out by one of them.
        let reported = ctesting_main_steps()
        Task { @MainActor in }
        if ctesting_main_steps() != reported { return true }
        // Since Swift 6.2, a system may ask the main actor's executor itself, which another one then stands for.
        let executor = HookedMainExecutor.shared
        let reference = unsafeBitCast(executor.asUnownedSerialExecutor(), to: (UInt, UInt).self)
        return ctesting_install_main_executor(
            Unmanaged.passUnretained(executor).toOpaque(), reference.1)
    }()

    private static let scopes = Locked<[VirtualScope]>([])
    /// True while there are scopes.
    private static let isInUse = Atomic<Bool>(false)

    /// Has steps reported to a scope; call it in the scope, on the main thread.
    ///
    /// - Returns: False if the runtime doesn't report them.
    static func report(to scope: VirtualScope) -> Bool {
        scopes.withLock { scopes in
            scopes.append(scope)
            isInUse.store(true, ordering: .relaxed)
        }
        // This task is the first of the scope.
        Task {}
        return scope.hasFirstTask
    }

    /// The scope with an identity, unless it has ended.
    static func scope(of identity: VirtualScope.Leftover) -> VirtualScope? {
        scopes.withLock { $0.first { $0.identity === identity } }
    }

    /// Forgets a scope that has ended.
    static func remove(_ scope: VirtualScope) {
        scopes.withLock { scopes in
            scopes.removeAll { $0 === scope }
            isInUse.store(!scopes.isEmpty, ordering: .relaxed)
        }
    }

    /// Takes a step for the scope to which it belongs; returns false if it belongs to none.
    fileprivate static func offer(_ job: UnownedJob, onMain: Bool) -> Bool {
        let pointer = unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
        if let scope = VirtualScope.current {
            return scope.takeJob(ctesting_task_id(pointer), job, onMain: onMain)
        }
        guard isInUse.load(ordering: .relaxed) else { return false }
        let task = ctesting_task_id(pointer)
        if task == 0 { return false }
        let present = ctesting_current_task_id()
        return scopes.withLock { $0 }.contains {
            $0.receive(task, job, from: present, onMain: onMain)
        }
    }
}

private let take: ctesting_take = { job, isMain in
    EnqueueHooks.offer(unsafeBitCast(job, to: UnownedJob.self), onMain: isMain)
}

/// An executor that stands for the main actor's, and gives it all steps that belong to no test in virtual time.
private final class HookedMainExecutor: SerialExecutor {
    static let shared = HookedMainExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if !EnqueueHooks.offer(job, onMain: true) {
            ctesting_enqueue_main(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
        }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(.main)) }
}

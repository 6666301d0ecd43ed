import CPledgeTesting
import Dispatch
import PledgeFutures
import Synchronization

/// Hooks of the Swift runtime that give tests in virtual time the steps of their tasks.
///
/// The runtime calls a hook before it passes a step to the global or the main actor's executor. Nothing else reaches
/// the steps of `Task { }` and of the main actor, which ignore an executor preference. Once installed, the hooks stay,
/// and cost each other step in the process the read of a thread's variable and of a flag.
///
/// Invariant: the functions in CPledgeTesting have the types of the runtime's own, and the steps that they pass on run
/// exactly once.
enum EnqueueHooks {
    /// True if the runtime has the hooks, which the first read installs.
    static let areInstalled: Bool = {
        guard ctesting_install(take) else { return false }
        ctesting_probe(true)
        Task {}
        ctesting_probe(false)
        // The runtime may report other steps, but not the main actor's, so try one.
        let reported = ctesting_main_steps()
        Task { @MainActor in }
        if ctesting_main_steps() != reported { return true }
        // Since Swift 6.2, a system may call the main actor's executor without the hook, so another executor takes its
        // place.
        let executor = HookedMainExecutor.shared
        let reference = unsafeBitCast(executor.asUnownedSerialExecutor(), to: (UInt, UInt).self)
        return ctesting_install_main_executor(
            Unmanaged.passUnretained(executor).toOpaque(), reference.1)
    }()

    private static let scopes = Locked<[VirtualScope]>([])
    /// True while there are scopes.
    private static let isInUse = Atomic<Bool>(false)

    /// Begins to report steps to a scope; call it in the scope, on the main thread.
    ///
    /// - Returns: False if the runtime doesn't report them.
    static func report(to scope: VirtualScope) -> Bool {
        scopes.withLock { scopes in
            scopes.append(scope)
            isInUse.store(true, ordering: .relaxed)
        }
        // This task becomes the scope's first.
        Task {}
        return scope.hasFirstTask
    }

    /// The scope with an identity, unless it has ended.
    static func scope(of identity: VirtualScope.Leftover) -> VirtualScope? {
        scopes.withLock { $0.first { $0.identity === identity } }
    }

    static func remove(_ scope: VirtualScope) {
        scopes.withLock { scopes in
            scopes.removeAll { $0 === scope }
            isInUse.store(!scopes.isEmpty, ordering: .relaxed)
        }
    }

    /// Gives a step to its scope; returns false if it belongs to none.
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

/// Stands in for the main actor's executor: takes the steps of tests in virtual time, and passes on all others.
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

import Testing

@testable import PledgeServices

@Suite struct CoalesceMachineTests {
    typealias Machine = CoalesceMachine<String, String, Int>

    /// Begins a call, and adds its first caller.
    func begin(_ machine: inout Machine, _ key: String, _ caller: String) -> (call: Int, seat: Int)
    {
        guard case .first(let call, _) = machine.addCaller(key, caller) else {
            Issue.record("the key has a call")
            return (0, 0)
        }
        return (call, machine.seat(caller, key, call: call))
    }

    /// Joins a call.
    func join(_ machine: inout Machine, _ key: String, _ caller: String) -> (seat: Int, count: Int)
    {
        guard case .joined(let same, let seat, let count, _) = machine.addCaller(key, caller) else {
            Issue.record("the key has no call")
            return (0, 0)
        }
        #expect(same == caller)
        return (seat, count)
    }

    @Test func callersWithTheSameKeyJoinACoalescedCall() {
        var machine = Machine()
        let (call, _) = begin(&machine, "k", "a")
        #expect(join(&machine, "k", "b").count == 2)
        #expect(join(&machine, "k", "c").count == 3)
        _ = begin(&machine, "other", "x")
        #expect(machine.count == 2)
        let ended = machine.endCall("k", call: call)
        #expect(ended.callers == ["a", "b", "c"])
        #expect(ended.key == "k")
        #expect(machine.count == 1)
    }

    @Test func theNextCallerAfterACoalescedCallHasEndedMakesAnother() {
        var machine = Machine()
        let (call, _) = begin(&machine, "k", "a")
        _ = machine.endCall("k", call: call)
        let (next, _) = begin(&machine, "k", "b")
        #expect(next != call)
        let late = machine.endCall("k", call: call)
        #expect(late.callers.isEmpty)
        let ended = machine.endCall("k", call: next)
        #expect(ended.callers == ["b"])
    }

    @Test func theLastCallerToLeaveACoalescedCallCancelsIt() {
        var machine = Machine()
        let (call, first) = begin(&machine, "k", "a")
        let isWanted = machine.keep(17, "k", call: call).isWanted
        #expect(isWanted)
        let second = join(&machine, "k", "b").seat
        let left = machine.leave("k", caller: first)
        #expect(left.callers == ["a"])
        #expect(left.call == nil)
        let last = machine.leave("k", caller: second)
        #expect(last.callers == ["b"])
        #expect(last.call == 17)
        #expect(last.key == "k")
        let again = machine.leave("k", caller: second)
        #expect(again.call == nil)
        let isStillWanted = machine.keep(18, "k", call: call).isWanted
        #expect(!isStillWanted)
        #expect(machine.count == 0)
    }

    /// A raise may come before the call has a handle, and stays when another call takes its place.
    @Test func aJoinedCallKeepsItsHighestRaise() {
        var machine = Machine()
        guard case .first(let call, _) = machine.addCaller("k", "a") else { return }
        let b = join(&machine, "k", "b").seat
        let early = machine.raise("k", caller: b, to: .medium)
        #expect(early == nil)
        let a = machine.seat("a", "k", call: call)
        let kept = machine.keep(17, "k", call: call)
        #expect(kept.isWanted && kept.raised == .medium)
        let raised = [TaskPriority.low, .high].map { machine.raise("k", caller: b, to: $0) }
        #expect(raised == [17, 17])
        let next = machine.renew("k", call: call, endingFor: [a]).call ?? 0
        let gone = machine.raise("k", caller: a, to: .high)
        #expect(gone == nil)
        let again = machine.keep(18, "k", call: next)
        #expect(again.isWanted && again.raised == .high)
    }

    @Test func whoLeavesAnEndedCoalescedCallDoesNotLeaveTheNext() {
        var machine = Machine()
        let (call, first) = begin(&machine, "k", "a")
        _ = machine.endCall("k", call: call)
        _ = begin(&machine, "k", "b")
        let gone = machine.leave("k", caller: first)
        #expect(gone.callers.isEmpty)
        #expect(machine.count == 1)
    }

    /// The first caller is still in the service, and counts; it cannot leave, and its call may already be
    /// over.
    @Test func theFirstCallerOfACoalescedCallCountsBeforeItIsSeated() {
        var machine = Machine()
        guard case .first(let call, _) = machine.addCaller("k", "a") else { return }
        let seat = join(&machine, "k", "b").seat
        let gone = machine.leave("k", caller: seat)
        #expect(gone.call == nil)
        #expect(machine.count == 1)
        let ended = machine.endCall("k", call: call)
        #expect(ended.callers.isEmpty)
    }

    @Test func renewingACoalescedCallEndsItForSomeCallersAndKeepsTheRest() {
        var machine = Machine()
        let (call, a) = begin(&machine, "k", "a")
        _ = machine.keep(17, "k", call: call)
        let b = join(&machine, "k", "b").seat
        let c = join(&machine, "k", "c").seat
        let (next, removed) = machine.renew("k", call: call, endingFor: [b, a])
        #expect(removed.callers == ["a", "b"])
        #expect(removed.call == 17)
        #expect(machine.callers("k", call: call).isEmpty)
        #expect(machine.callers("k", call: next ?? 0) == [c: "c"])
        let ended = machine.endCall("k", call: next ?? 0)
        #expect(ended.callers == ["c"])
    }

    @Test func renewingACoalescedCallThatNobodyStaysInEndsIt() {
        var machine = Machine()
        let (call, a) = begin(&machine, "k", "a")
        let (next, removed) = machine.renew("k", call: call, endingFor: [a])
        #expect(next == nil)
        #expect(removed.key == "k")
        #expect(machine.count == 0)
    }

    /// The callers of a call that is past are still its own, and leave it or get its answer.
    @Test func aCoalescedCallFromBeforeAnInvalidationIsNotShared() {
        var machine = Machine()
        let (old, a) = begin(&machine, "k", "a")
        let b = join(&machine, "k", "b").seat
        let entry = machine.addCaller("k", since: Era(number: 2), in: Era(number: 3), "c")
        guard case .first(let new, _) = entry else {
            Issue.record("it has joined the call from before")
            return
        }
        _ = machine.seat("c", "k", call: new)
        _ = machine.keep(17, "k", call: old)
        guard case .joined = machine.addCaller("k", since: Era(number: 3), in: Era(number: 3), "d")
        else {
            Issue.record("it has not joined the call from afterwards")
            return
        }
        #expect(machine.count == 2)
        let left = machine.leave("k", caller: a)
        #expect(left.callers == ["a"] && left.call == nil)
        #expect(machine.callers("k", call: old) == [b: "b"])
        let ended = machine.endCall("k", call: old)
        #expect(ended.callers == ["b"] && ended.call == 17 && ended.key == nil)
        let rest = machine.endCall("k", call: new)
        #expect(rest.callers == ["c", "d"] && rest.key == "k")
        #expect(machine.count == 0)
    }

    /// The renewed call begins now.
    @Test func aRenewedCoalescedCallIsSharedWithCallersAfterAnEarlierInvalidation() {
        var machine = Machine()
        let (call, a) = begin(&machine, "k", "a")
        _ = join(&machine, "k", "b")
        let (next, _) = machine.renew("k", call: call, endingFor: [a], in: Era(number: 5))
        #expect(next != nil)
        guard case .joined = machine.addCaller("k", since: Era(number: 5), in: Era(number: 9), "c")
        else {
            Issue.record("it has not joined")
            return
        }
    }

    @Test func invalidationsAreKnownWhileCoalescedCallsFromBeforeAreUnderWay() {
        var machine = Machine()
        machine.change("s", in: Era(number: 1))
        #expect(machine.lastChange(of: "s") == .first)
        let (call, _) = begin(&machine, "k", "a")
        machine.change("s", in: Era(number: 2))
        #expect(machine.lastChange(of: "s") == Era(number: 2))
        #expect(machine.lastChange(of: "other") == .first)
        #expect(machine.lastChange(of: nil) == .first)
        _ = machine.endCall("k", call: call)
        #expect(machine.lastChange(of: "s") == .first)
    }
}

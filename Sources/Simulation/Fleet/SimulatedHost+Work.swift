import PledgeFutures
import PledgeServices

extension SimulatedHost {
    /// Begins a call that has arrived, puts it into the queue, or refuses it.
    func receive(_ call: SimulatedCall) {
        statistics.received += 1
        if losesMessage || isCut(from: call) { return lose(call) }
        guard isUp else { return answer(call, with: .unreachable) }
        call.arrived = scheduler.time
        if busyWorkers < settings.workers, waiting.count == 0, !isPaused {
            statistics.note(1, at: scheduler.time)
            return begin(call)
        }
        guard waiting.count < settings.queueLimit else {
            statistics.refused += 1
            return answer(call, with: .queueFull)
        }
        statistics.note(1, at: scheduler.time)
        waiting.append(call)
    }

    private func begin(_ call: SimulatedCall) {
        call.begin()
        call.workIndex = working.count
        call.hasWorker = true
        working.append(call)
        busyWorkers += 1
        var time = settings.serviceTime.sample(&generator)
        let factor = slowness * warmUpFactor
        if factor != 1 { time = Nanoseconds(min(Double(time) * factor, 9e18).rounded()) }
        scheduler.add(call, after: time)
    }

    /// Ends the service time of a call: it is answered, or another host is called for it.
    func finishWork(on call: SimulatedCall) {
        if isPaused { return scheduler.add(call, after: pauseEnd - scheduler.time) }
        let hasFailed = settings.failureRate > 0 && generator.uniform() < settings.failureRate
        guard let downstream, !hasFailed else {
            return finish(call, with: hasFailed ? .failed : nil)
        }
        if !settings.holdsWorkerWhileCalling {
            freeWorker(of: call)
            beginWaiting()
        }
        let future = CallContext(deadline: call.deadlineInContext(on: scheduler))
            .run { downstream(call.request) }
        call.downstream = future.observation { [self] result in
            guard scheduler.isOnItsThread else {
                return scheduler.note(SimulationError(.endOnAnotherThread))
            }
            if case .success = result {
                finish(call, with: nil)
            } else {
                finish(call, with: .downstreamFailed)
            }
        }
    }

    /// Frees the call's worker for another call, and answers.
    private func finish(_ call: SimulatedCall, with failure: SimulatedFailure.Code?) {
        guard leave(call) else { return }
        statistics.finish(call, at: scheduler.time)
        beginWaiting()
        answer(call, with: failure)
    }

    /// Ends the work on a call that its caller has given up.
    func stopWork(on call: SimulatedCall) {
        guard scheduler.isOnItsThread else {
            return scheduler.note(SimulationError(.endOnAnotherThread))
        }
        guard leave(call) else { return }
        scheduler.remove(call)
        call.downstream.take()?.cancel()
        beginWaiting()
    }

    /// Removes a call from those that are worked on.
    ///
    /// - Returns: Whether it was one of them.
    private func leave(_ call: SimulatedCall) -> Bool {
        guard call.workIndex < working.count, working[call.workIndex] === call else { return false }
        freeWorker(of: call)
        let last = working.removeLast()
        if last !== call {
            working[call.workIndex] = last
            last.workIndex = call.workIndex
        }
        statistics.note(-1, at: scheduler.time)
        return true
    }

    private func freeWorker(of call: SimulatedCall) {
        if call.hasWorker { busyWorkers -= 1 }
        call.hasWorker = false
    }

    /// Begins calls that wait, as long as there is a worker.
    func beginWaiting() {
        while isUp, !isPaused, busyWorkers < settings.workers, let next = nextOfQueue() {
            let isLate = next.deadline <= scheduler.time
            if isLate || (next.isAbandoned && !settings.finishesAbandonedCalls) {
                statistics.note(-1, at: scheduler.time)
                if isLate { answer(next, with: .deadlinePassed) }
            } else {
                begin(next)
            }
        }
    }

    private func nextOfQueue() -> SimulatedCall? {
        settings.queueOrder == .firstInFirstOut ? waiting.popFirst() : waiting.popLast()
    }

    /// How many times as long its work takes because it has started lately.
    private var warmUpFactor: Double {
        if started == .min { return 1 }
        let (time, factor) = (Double(Nanoseconds(settings.warmUp.time)), settings.warmUp.factor)
        if time <= 0 { return 1 }
        let part = Double(scheduler.time - started) / time
        return part >= 1 ? 1 : factor + (1 - factor) * part
    }
}

import PledgeFutures
import PledgeServices
import PledgeSimulation

/// Beneath a retry: an attempt without a connection puts a token back into the budget.
func leak(
    from budget: RetryBudget, isLeaking: Bool
) -> Middleware<SimulatedRequest, SimulatedResponse> {
    Middleware(named: "leak") { service in
        { request in
            service(request).onFailure { error in
                if (error as? SimulatedFailure)?.code == .failed { return }
                if isLeaking { budget.refund() }
            }
        }
    }
}

import Futures
import Services
import Simulation

/// Beneath a retry: an attempt without a connection puts its token back into the budget.
///
/// - Parameter withdrawal: How many deposits make one retry.
func leak(
    from budget: RetryBudget, withdrawal: Int
) -> Middleware<SimulatedRequest, SimulatedResponse> {
    Middleware(named: "leak") { service in
        { request in
            service(request).onFailure { error in
                if (error as? SimulatedFailure)?.code == .failed { return }
                for _ in 0..<withdrawal { budget.deposit() }
            }
        }
    }
}

import Articles
import CZlib
import Combine
import Composition
import Dispatch
import Foundation
import Futures
import Observation
import Pledge
import Services
import Simulation
import Stores
import Testing
import Traffic

// The usual helper of a test, with Testing's type.
func check(_ answer: Int, at location: SourceLocation = #_sourceLocation) -> String {
    "\(answer) at \(location.fileName)"
}

// Combine's protocols, and Pledge's types of a similar kind.
func subscribe(_ subscription: any Subscription) -> ObserverToken? { nil }
func run<S: Scheduler>(on scheduler: S, by own: some FutureScheduler) {}

// Both have a Future, which the articles fix; the module says which one is meant.
let answer: Pledge.Future<Int> = Pledge.Future(value: 42)
let place = CodeLocation(fileID: #fileID, line: #line)

print(check(try await answer.value), Futures.name, Services.name, place)

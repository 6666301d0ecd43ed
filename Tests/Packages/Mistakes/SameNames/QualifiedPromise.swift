import Pledge
import PromiseKit

func later() -> Pledge.Promise<Int> { Pledge.Promise() }
func other() -> PromiseKit.Promise<Int> { .value(7) }
func mine() -> Future<Int> { Future(value: 7) }

// snippet: missing-stores
import Pledge

let adding = Reducer<Int, Int> { sum, number in sum += number }
// error: 'Reducer' is unavailable: add the product PledgeStores to your target, and import PledgeStores
// end snippet

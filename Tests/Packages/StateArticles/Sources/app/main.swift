import Foundation

// Does what the three articles on state do, and fails where a comparison that they mark true is not.

checkPureFunctions()
checkReduce()
checkLogin()
checkOrder()
useStore()
checkComposition()
checkReducers()
try await checkRequests()
checkEnemies()
checkVideo()
print("\(failures) failures")
exit(failures == 0 ? 0 : 1)

// The classes whose Objective-C parts are checked, and what these parts use.
import ObjectiveC

class NSObject { @objc dynamic func responds(to selector: Selector!) -> Bool { false } }

@objc protocol URLSessionTaskDelegate {
    @objc optional func urlSession(
        _ session: AnyObject, task: AnyObject, didReceive challenge: AnyObject,
        completionHandler: AnyObject)
}

class SessionTaskDelegate: NSObject { let isGuest = false }

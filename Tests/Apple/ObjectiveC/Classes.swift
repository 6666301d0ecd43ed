// The classes whose Objective-C parts are checked, and what these parts use.
import ObjectiveC

@objc class NSObject { @objc dynamic func responds(to selector: Selector!) -> Bool { false } }

@objc protocol URLSessionTaskDelegate {
    @objc optional func urlSession(
        _ session: AnyObject, task: AnyObject, didReceive challenge: AnyObject,
        completionHandler: AnyObject)
    @objc optional func urlSession(
        _ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics)
}

@objc class URLSession: NSObject { var delegate: (any URLSessionDelegate)? { nil } }
@objc class URLSessionTask: NSObject {}
@objc class URLSessionTaskMetrics: NSObject {}
@objc protocol URLSessionDelegate {}

class SessionTaskDelegate: NSObject { let isGuest = false }

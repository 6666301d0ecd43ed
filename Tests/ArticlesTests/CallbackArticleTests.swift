import Dispatch
import Foundation
import PledgeArticles
import PledgeComposition
import PledgeFutures
import TestSupport
import Testing

/// The code of the callback article, with a scheduler in place of `asyncAfter`.
@Suite(.oneAtATime) struct CallbackArticleTests {
    struct LoginInfo {
        let userName: String
        let password: String
    }

    struct NetworkResponse {
        let message: String
    }

    typealias LoginAction = Action<LoginInfo, NetworkResponse>

    let scheduler = ManualScheduler()
    let recorder = TestLog<String>()

    @Test(arguments: [("Tangent", "123", "ok"), ("Tangent", "124", "no"), ("", "", "no")])
    func basicUse(name: String, password: String, answer: String) {
        let loginAction: LoginAction = { [scheduler] input, callback in
            scheduler.schedule(after: .seconds(2)) {
                if input.userName == "Tangent" && input.password == "123" {
                    callback(NetworkResponse(message: "ok"))
                } else {
                    callback(NetworkResponse(message: "no"))
                }
            }
        }
        loginAction(LoginInfo(userName: name, password: password)) { [recorder] response in
            recorder.append(response.message)
        }
        #expect(recorder.elements == [])
        scheduler.advance(by: .seconds(2))
        #expect(recorder.elements == [answer])
    }

    @Test func asTheArticleWritesItOnAQueue() async throws {
        // With no delay, so that nothing waits; `main` and `asyncAfter` are the article's.
        let loginAction: LoginAction = { input, callback in
            DispatchQueue.main.asyncAfter(deadline: .now()) {
                callback(NetworkResponse(message: "hello \(input.userName)"))
            }
        }
        let info = LoginInfo(userName: "Tangent", password: "123")
        let response = try await asFuture(loginAction)(info).value
        #expect(response.message == "hello Tangent")
    }

    @Test func composition() {
        let finalAction = Network(scheduler).loginAction >- Parser(scheduler).jsonAction
        let loginInfo = LoginInfo(userName: "Tan", password: "123")
        finalAction(loginInfo) { [recorder] response in recorder.append(response.message) }
        scheduler.advance(by: .seconds(4))
        #expect(recorder.elements == [])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.elements == ["login succeeded"])
    }

    @Test func requestAndCallbackApart() {
        let request =
            Network(scheduler).loginAction >- Parser(scheduler).jsonAction <- {
                [recorder] response in
                recorder.append(response.message)
            }
        #expect(scheduler.isIdle)
        request(LoginInfo(userName: "Tan", password: "wrong"))
        scheduler.run()
        #expect(recorder.elements == ["login failed"])
    }

    @Test func aBrokenAnswerIsReadable() {
        let broken: Action<LoginInfo, String> = { _, callback in callback("{") }
        (broken >- Parser(scheduler).jsonAction)(LoginInfo(userName: "", password: "")) {
            [recorder] in recorder.append($0.message)
        }
        scheduler.run()
        #expect(recorder.elements == ["not JSON"])
    }

    @Test @MainActor func theControllerOnTheMainActor() async throws {
        let controller = Controller(scheduler)
        controller.viewDidLoad()
        controller.button.send(.touchUpInside)
        #expect(scheduler.isIdle, "without a name there is no request")
        controller.userName = "Tan"
        controller.password = "123"
        controller.button.send(.touchUpInside)
        scheduler.run()
        #expect(controller.tip == "login succeeded")
    }

    @Test @MainActor func theControllerIsNotKept() {
        weak var kept: Controller?
        let button: EventSource<ButtonEvents>
        do {
            let controller = Controller(scheduler)
            controller.userName = "Tan"
            controller.password = "123"
            controller.viewDidLoad()
            kept = controller
            button = controller.button
            button.send(.touchUpInside)
        }
        #expect(kept == nil)
        scheduler.run()
        button.send(.touchUpInside)
        #expect(scheduler.isIdle)
    }
}

extension CallbackArticleTests {
    final class Network: Sendable {
        let loginAction: Action<LoginInfo, String>

        init(_ scheduler: ManualScheduler) {
            loginAction = { info, callback in
                scheduler.schedule(after: .seconds(3)) {
                    let data: String
                    if info.userName == "Tan" && info.password == "123" {
                        data = "{\"message\": \"login succeeded\"}"
                    } else {
                        data = "{\"message\": \"login failed\"}"
                    }
                    callback(data)
                }
            }
        }
    }

    final class Parser: Sendable {
        typealias JSONAction = Action<String, NetworkResponse>

        let jsonAction: JSONAction

        init(_ scheduler: ManualScheduler) {
            jsonAction = { json, callback in
                scheduler.schedule(after: .seconds(2)) {
                    guard
                        let jsonData = json.data(using: .utf8),
                        let dic =
                            (try? JSONSerialization.jsonObject(
                                with: jsonData,
                                options: .fragmentsAllowed
                            )) as? [String: Any],
                        let message = dic["message"] as? String
                    else {
                        callback(NetworkResponse(message: "not JSON"))
                        return
                    }
                    callback(NetworkResponse(message: message))
                }
            }
        }
    }

    /// The article's view controller, with text in place of views.
    @MainActor final class Controller {
        let scheduler: ManualScheduler
        let button = EventSource<ButtonEvents>()
        var userName: String?
        var password: String?
        var tip = ""

        init(_ scheduler: ManualScheduler) { self.scheduler = scheduler }

        func viewDidLoad() {
            let loginRequest =
                fetchLoginInfo >- Network(scheduler).loginAction >- Parser(scheduler).jsonAction
                <- render
            button.bind(events: .touchUpInside, for: loginRequest)
        }

        private var fetchLoginInfo: Action<(), LoginInfo> {
            { [weak self] _, ok in
                MainActor.assumeIsolated {
                    guard let userName = self?.userName, let password = self?.password else {
                        return
                    }
                    ok(LoginInfo(userName: userName, password: password))
                }
            }
        }

        private var render: @Sendable (NetworkResponse) -> Void {
            { [weak self] response in
                MainActor.assumeIsolated { self?.tip = response.message }
            }
        }
    }
}

@Suite struct ActionPromiseTests {
    @Test func theArticlesOneTwoThreeFour() {
        let scheduler = ManualScheduler()
        let recorder = TestLog<String>()
        ActionPromise<String, String> { input, callback in
            scheduler.schedule(after: .seconds(2)) {
                callback(input + " Two")
            }
        }.then { input, callback in
            scheduler.schedule(after: .seconds(3)) {
                callback(input + " Three")
            }
        }.then { input, callback in
            scheduler.schedule(after: .seconds(4)) {
                callback(input + " Four")
            }
        }.exec(input: "One") { result in
            recorder.append(result)
        }
        scheduler.advance(by: .seconds(8))
        #expect(recorder.elements == [])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.elements == ["One Two Three Four"])
    }

    @Test func thenChangesTheTypeAndNotTheReceiver() {
        let length = ActionPromise<String, Int> { input, callback in callback(input.count) }
        let described = length.then { (input, callback: @Sendable (String) -> Void) in
            callback("\(input) characters")
        }
        let numbers = TestLog<Int>()
        let texts = TestLog<String>()
        length.exec(input: "abc") { numbers.append($0) }
        described.exec(input: "abcd") { texts.append($0) }
        #expect(numbers.elements == [3])
        #expect(texts.elements == ["4 characters"])
    }

    @Test func nothingRunsUntilExecAndEverythingRunsEachTime() {
        let calls = TestLog<Int>()
        let promise = ActionPromise<Int, Int> { input, callback in
            calls.append(input)
            callback(input)
        }.then { $1($0 * 2) }
        #expect(calls.elements == [])
        let outputs = TestLog<Int>()
        promise.exec(input: 1) { outputs.append($0) }
        promise.exec(input: 2) { outputs.append($0) }
        #expect(calls.elements == [1, 2])
        #expect(outputs.elements == [2, 4])
    }

    @Test func itsFutureTakesTheFirstOutput() async throws {
        let twice = ActionPromise<Int, Int> { input, callback in
            callback(input)
            callback(input + 1)
        }
        #expect(try await twice.future(input: 5).value == 5)
    }

    @Test func itsFutureIsAbandonedWhereItIsMade() throws {
        let never = ActionPromise<Int, Int> { _, _ in }
        let line: UInt = #line + 1
        let future = never.future(input: 1)
        let error = #expect(throws: FutureError.self) { try #require(future.result).get() }
        #expect(error?.code == .abandoned)
        #expect(error?.location?.line == line)
        #expect("\(error?.location?.fileID ?? "")" == #fileID)
    }

    @Test func thenIsComposition() {
        let scheduler = ManualScheduler()
        var random = RandomActions(scheduler: scheduler, generator: SeededGenerator(seed: 7))
        for _ in 0..<300 {
            let a = random.next()
            let b = random.next()
            let c = random.next()
            let input = random.generator.next()
            let recorder = TestLog<UInt64>()
            ActionPromise(action: a).then(b).then(c).exec(input: input) { recorder.append($0) }
            scheduler.run()
            #expect(recorder.elements == outputs(on: scheduler, a >- b >- c, input))
        }
    }
}

import Foundation
import PledgeArticles

/// Everything that the article about callback actions claims for its code.
///
/// The parts run at the same time, since they wait as long as the article's code does.
@MainActor
func checkCallbackActions() async throws {
    let basic = Promise<String>()
    do {
        let print: @Sendable (String) -> Void = { basic.resolve(with: $0) }
        // snippet: basic
        let info = LoginInfo(userName: "Tangent", password: "123")
        FirstUse.Network.shared.loginAction(info) { response in
            print(response.message)  // 登陆成功 (the login succeeded)
        }
        // end snippet
    }

    let composed = Promise<String>()
    do {
        let print: @Sendable (String) -> Void = { composed.resolve(with: $0) }
        // snippet: composed
        let finalAction = Network.shared.loginAction >- Parser.shared.jsonAction
        let loginInfo = LoginInfo(userName: "Tangent", password: "123")
        finalAction(loginInfo) { response in
            print(response.message)  // 登录失败! (the login failed)
        }
        // end snippet
    }

    let separated = Promise<String>()
    do {
        let print: @Sendable (String) -> Void = { separated.resolve(with: $0) }
        // snippet: separated
        // 组合Action以及监听回调 (composes the action and observes its callback)
        let request =
            Network.shared.loginAction >- Parser.shared.jsonAction <- { response in
                print(response.message)  // 登录成功! (the login succeeded)
            }
        // 发送回调执行请求 (runs the request with a callback)
        request(LoginInfo(userName: "Tan", password: "123"))
        // end snippet
    }

    let garbled = Promise<String>()
    do {
        let print: @Sendable (String) -> Void = { garbled.resolve(with: $0) }
        // snippet: exec
        let parse = exec(Parser.shared.jsonAction) { response in
            print(response.message)  // JSON数据解析错误! (the JSON cannot be parsed)
        }
        parse("not JSON")
        // end snippet
    }

    let counted = countToFour()
    async let screen: Void = checkLoginScreen()
    check("an action calls back", try await basic.value, is: "登陆成功")
    check("two actions composed", try await composed.value, is: "登录失败!")
    check("request and callback apart", try await separated.value, is: "登录成功!")
    check("a parser's own failure", try await garbled.value, is: "JSON数据解析错误!")
    check("ActionPromise", try await counted.value, is: "One Two Three Four")
    try await screen
}

/// The screen: what is typed is sent when the button is touched, and the answer is shown.
@MainActor
private func checkLoginScreen() async throws {
    let screen = ViewController()
    screen.viewDidLoad()
    let touches = Promise<String>()
    screen.button.bind(events: [.touchDown, .touchUpInside]) { touches.resolve(with: "heard") }
    screen.userNameTF.text = "Tan"
    screen.passwordTF.text = "123"
    screen.button.send(.touchUpInside)
    check("a second handler of one event", try await touches.value, is: "heard")
    let deadline = ContinuousClock.now + .seconds(20)
    while screen.tipLabel.text == nil, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(1))
    }
    check("the label after a touch", screen.tipLabel.text, is: "登录成功!")
}

/// The article's Promise, which is ActionPromise here.
private func countToFour() -> Future<String> {
    let done = Promise<String>()
    let print: @Sendable (String) -> Void = { done.resolve(with: $0) }
    // snippet: promise
    ActionPromise<String, String> { input, callback in
        DispatchQueue.main.asyncAfter(deadline: .now() + 2) {
            callback(input + " Two")
        }
    }.then { input, callback in
        DispatchQueue.main.asyncAfter(deadline: .now() + 3) {
            callback(input + " Three")
        }
    }.then { input, callback in
        DispatchQueue.main.asyncAfter(deadline: .now() + 4) {
            callback(input + " Four")
        }
    }.exec(input: "One") { result in
        print(result)  // One Two Three Four
    }
    // end snippet
    return done
}

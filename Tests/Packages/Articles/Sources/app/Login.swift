import Foundation
import PledgeArticles

// snippet: login
struct LoginInfo: Sendable {
    let userName: String
    let password: String
}

struct NetworkResponse: Sendable, Equatable {
    let message: String
}
// end snippet

/// "基本使用": the network answers with a response.
// snippet: first
enum FirstUse {
    typealias LoginAction = Action<LoginInfo, NetworkResponse>

    final class Network: Sendable {
        // 单例模式 (a singleton)
        static let shared = Network()
        private init() {}

        let loginAction: LoginAction = { input, callback in
            DispatchQueue.main.asyncAfter(deadline: .now() + 2) {
                if input.userName == "Tangent" && input.password == "123" {
                    callback(NetworkResponse(message: "登陆成功"))
                } else {
                    callback(NetworkResponse(message: "登陆失败"))
                }
            }
        }
    }
}
// end snippet

/// "组合": the network answers with JSON, and a parser makes a response of it.
// snippet: network
final class Network: Sendable {
    static let shared = Network()
    private init() {}

    typealias LoginAction = Action<LoginInfo, String>

    let loginAction: LoginAction = { info, callback in
        DispatchQueue.main.asyncAfter(deadline: .now() + 3) {
            let data: String
            if info.userName == "Tan" && info.password == "123" {
                data = "{\"message\": \"登录成功!\"}"
            } else {
                data = "{\"message\": \"登录失败!\"}"
            }
            callback(data)
        }
    }
}
// end snippet

// snippet: parser
final class Parser: Sendable {
    static let shared = Parser()
    private init() {}

    typealias JSONAction = Action<String, NetworkResponse>

    let jsonAction: JSONAction = { json, callback in
        DispatchQueue.main.asyncAfter(deadline: .now() + 2) {
            guard
                let jsonData = json.data(using: .utf8),
                let dic =
                    (try? JSONSerialization.jsonObject(
                        with: jsonData,
                        options: .allowFragments
                    )) as? [String: Any],
                let message = dic["message"] as? String
            else {
                callback(NetworkResponse(message: "JSON数据解析错误!"))
                return
            }
            callback(NetworkResponse(message: message))
        }
    }
}
// end snippet

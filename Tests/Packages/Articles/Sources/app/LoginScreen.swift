import PledgeArticles

// snippet: screen
/// UIKit's control events, as far as a button has them.
struct ControlEvents: OptionSet, Sendable {
    let rawValue: UInt
    static let touchDown = ControlEvents(rawValue: 1 << 0)
    static let touchUpInside = ControlEvents(rawValue: 1 << 6)
}

/// A text field or a label, as far as the screen needs one.
@MainActor
final class Text {
    var text: String?
}

/// The article's ViewController, without UIKit.
@MainActor
final class ViewController {
    let userNameTF = Text()
    let passwordTF = Text()
    let button = EventSource<ControlEvents>()
    let tipLabel = Text()

    func viewDidLoad() {
        setupAction()
    }

    private var fetchLoginInfo: Action<(), LoginInfo> {
        return { [weak self] _, ok in
            // An action runs wherever it is called; the fields are the main actor's.
            Task { @MainActor in
                guard let userName = self?.userNameTF.text, let password = self?.passwordTF.text
                else { return }
                let loginInfo = LoginInfo(userName: userName, password: password)
                ok(loginInfo)
            }
        }
    }

    private var render: @Sendable (NetworkResponse) -> Void {
        return { [weak self] response in
            Task { @MainActor in self?.tipLabel.text = response.message }
        }
    }

    private func setupAction() {
        let loginRequest =
            fetchLoginInfo
            >- Network.shared.loginAction
            >- Parser.shared.jsonAction
            <- render
        button.bind(events: .touchUpInside, for: loginRequest)
    }
}
// end snippet

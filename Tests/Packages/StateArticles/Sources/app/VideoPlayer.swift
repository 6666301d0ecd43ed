import Foundation

// snippet: player
enum UIImage {
    case wait, cancel, pause, play
}

@MainActor
final class Player {
    private(set) var isPlaying = false

    func play() { isPlaying = true }
    func pause() { isPlaying = false }
}

/// The article's controller, without UIKit.
@MainActor
class VideoPlayerViewController {
    var video: Video {
        // Every time the video changes, we re-render
        didSet { videoDidChange() }
    }

    private let player: Player
    private(set) var actionButtonImages: [UIImage] = []
    private var isHandlingChanges = false
    private var hasChanged = false

    init(video: Video, player: Player) {
        self.video = video
        self.player = player
    }

    func viewDidLoad() { videoDidChange() }

    func viewDidDisappear() {
        video.downloadTask?.cancel()
    }

    private func videoDidChange() {
        render()
        // What is set while a change is handled is handled by the loop, not by a call within the call.
        guard !isHandlingChanges else { return hasChanged = true }
        isHandlingChanges = true
        defer { isHandlingChanges = false }
        repeat {
            hasChanged = false
            handleStateChange()
        } while hasChanged
    }

    private func render() {
        actionButtonImages.append(resolveActionButtonImage())
    }

    private func resolveActionButtonImage() -> UIImage {
        // The image for the action button is declaratively resolved
        // directly from the video state
        switch video.state {
        case .willDownload:
            return .wait
        case .downloading:
            return .cancel
        case .playing:
            return .pause
        case .paused:
            return .play
        }
    }
}

extension VideoPlayerViewController {
    fileprivate func handleStateChange() {
        switch video.state {
        case .willDownload(let url):
            // Start a download task and enter the 'downloading' state
            let task = Task.download(url: url)
            task.start()
            video.state = .downloading(task: task)
        case .downloading(let task):
            // If the download task finished, start playback
            switch task.state {
            case .inProgress:
                break
            case .finished(let file):
                let playbackState = Video.PlaybackState(file: file, progress: 0)
                video.state = .playing(playbackState)
            }
        case .playing:
            player.play()
        case .paused:
            player.pause()
        }
    }
}
// end snippet

/// A video from its address to the screen, and off it.
@MainActor
func checkVideo() {
    let url = URL(fileURLWithPath: "/cat")
    let player = Player()
    let controller = VideoPlayerViewController(
        video: Video(state: .willDownload(from: url)), player: player)
    controller.viewDidLoad()
    check("the first changes", controller.actionButtonImages, is: [.wait, .cancel])
    check("the download has started", controller.video.downloadTask?.isStarted, is: true)

    let task = controller.video.downloadTask
    task?.state = .finished(File(name: "cat"))
    if let task { controller.video.state = .downloading(task: task) }
    check("it plays", player.isPlaying, is: true)
    check("no task is left", controller.video.downloadTask == nil, is: true)

    if case .playing(var playback) = controller.video.state {
        playback.progress = 0.5
        controller.video.state = .paused(playback)
    }
    check("it is paused", player.isPlaying, is: false)
    check(
        "every state was rendered, in order", controller.actionButtonImages,
        is: [.wait, .cancel, .cancel, .pause, .play])

    let other = VideoPlayerViewController(
        video: Video(state: .willDownload(from: url)), player: Player())
    other.viewDidLoad()
    other.viewDidDisappear()
    check("leaving cancels the download", other.video.downloadTask?.isCancelled, is: true)
}

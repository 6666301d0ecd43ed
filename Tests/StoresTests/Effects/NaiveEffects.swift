import PledgeStores

/// The rules of effects, implemented as plainly and slowly as possible.
///
/// It shares no mechanism with the machine, but it has the same rules: a rule that is wrong in both is not
/// found. ``EffectHistory`` checks laws that do not depend on the rules.
///
/// Every rule is a function, and its consequence is a call. There is one list of all effects, in order of
/// arrival; the owner of an id, and the effects that wait for it, are looked up in that list each time.
final class NaiveEffects {
    final class Node {
        enum State { case job, delay, interval, claiming, waiting, latest, group }

        let parent: Node?
        let id: Int?
        /// The number of its job, or of its timer.
        let number: Int
        var state: State
        /// The parts that begin in it, if it is a group.
        var parts: [EffectPlan] = []
        var isSequence = true
        var keepsLatest = true
        /// The number of the event, or of the feedback's step, that asked for it.
        let event: Int
        var isThere = true
        /// Whether a job has been started, or a timer set, that must be cancelled with it.
        var isCarriedOut = false

        init(_ state: State, of event: Int, in parent: Node?, id: Int? = nil, number: Int = 0) {
            (self.state, self.event, self.parent) = (state, event, parent)
            (self.id, self.number) = (id, number)
        }
    }

    private(set) var all: [Node] = []
    private(set) var trace: [EffectTrace] = []
    private var todo: [() -> Void] = []
    private var events = 0

    var underWay: Int {
        all.count { [.job, .delay, .claiming, .waiting, .latest].contains($0.state) }
    }

    /// Carries out the commands of a step.
    func carryOut() {
        for action in todo { action() }
        todo = []
    }

    // MARK: What begins

    func begin(_ plan: EffectPlan) {
        events += 1
        begin(plan, in: nil)
    }

    private func begin(_ plan: EffectPlan, in parent: Node?) {
        switch plan {
        case .job(let number): ask(add(node(.job, in: parent, number: number)), .start(number))
        case .delayed(let plan, let timer):
            let node = add(node(.delay, in: parent, number: timer))
            node.parts = [plan]
            ask(node, .schedule(timer))
        case .merge(let plans):
            let group = add(node(.group, in: parent))
            (group.isSequence, group.parts) = (false, plans)
            while group.isThere, !group.parts.isEmpty {
                begin(group.parts.removeFirst(), in: group)
            }
            look(at: group)
        case .concatenate(let plans):
            let group = add(node(.group, in: parent))
            group.parts = plans
            look(at: group)
        case .identified(let plan, let id, let policy): begin(plan, in: parent, id, policy)
        case .throttled(let plan, let id, let latest, let timer):
            if isInside(parent, id) { return begin(plan, in: parent) }
            let node = add(node(.claiming, in: parent, id: id, number: timer))
            (node.parts, node.keepsLatest) = ([plan], latest)
            claimThrottled(node)
        case .cancel(let id): cancel(id, by: parent)
        }
    }

    private func begin(_ plan: EffectPlan, in parent: Node?, _ id: Int, _ policy: EffectPolicy) {
        if isInside(parent, id) { return begin(plan, in: parent) }
        let isInUse = with(id).contains { $0.state == .group || $0.state == .waiting }
        if policy == .oldest, isInUse { return }
        let node = add(node(.claiming, in: parent, id: id))
        node.parts = [plan]
        switch policy {
        case .newest: claim(node, id)
        case .serial where isInUse: node.state = .waiting
        case .oldest, .serial: open(node)
        }
    }

    private func claim(_ node: Node, _ id: Int) {
        guard node.isThere else { return pass(on: id) }
        let isSuperseded = with(id).contains { $0.event > node.event && $0.state != .interval }
        if isSuperseded { return remove([node], from: nil) }
        if cancel(id, by: node) { claim(node, id) } else { open(node) }
    }

    private func claimThrottled(_ node: Node) {
        let id = node.id!
        guard node.isThere else { return pass(on: id) }
        func the(_ state: Node.State) -> Node? { with(id).first { $0.state == state } }
        if the(.interval) == nil {
            if let running = the(.group) {
                if running.event > node.event { return remove([node], from: nil) }
                remove([running], from: id)
                return claimThrottled(node)
            }
            let interval = add(
                Node(.interval, of: node.event, in: nil, id: id, number: node.number))
            ask(interval, .schedule(node.number))
            open(node)
        } else if !node.keepsLatest {
            remove([node], from: id)
        } else if let latest = the(.latest), latest.event > node.event {
            remove([node], from: id)
        } else if let latest = the(.latest) {
            remove([latest], from: id)
            claimThrottled(node)
        } else {
            node.state = .latest
        }
    }

    /// Makes a node a group whose parts begin one after another.
    private func open(_ node: Node) {
        (node.state, node.isCarriedOut) = (.group, false)
        look(at: node)
    }

    /// Removes what has an id, begun or not, unless a newer event has asked for it.
    ///
    /// It removes nothing that comes after the cancelling effect in the cancelling effect's own group.
    @discardableResult
    private func cancel(_ id: Int, by canceller: Node?) -> Bool {
        let event = canceller?.event ?? events
        var emptied: [Node] = []
        for node in all where node.parts.contains(where: { $0.has(id) }) && node.event <= event {
            if isInside(canceller, node) || node.state == .group && !node.isSequence { continue }
            node.parts = node.parts.compactMap { $0.without(id) }
            if node.state != .group, node.parts.isEmpty { emptied.append(node) }
        }
        var own = with(id).filter { $0.event <= event }
        let rest = with(id).filter { $0.event > event }
        // The interval that a newer effect waits for goes on.
        if rest.contains(where: { $0.state == .latest }) {
            own.removeAll { $0.state == .interval }
        }
        let gone = emptied.filter { node in !own.contains { $0 === node } } + own
        remove(gone, from: rest.isEmpty ? id : nil)
        return !gone.isEmpty
    }

    // MARK: What ends

    func removeAll() {
        for node in all where node.isCarriedOut {
            todo.append { self.trace.append(.cancel(node.number)) }
        }
        takeAway(all)
    }

    func end(_ node: Node) {
        takeAway([node])
        consequences(of: [node], exceptFor: nil)
    }

    func fire(_ timer: Node) {
        if timer.state == .delay { return open(timer) }
        takeAway([timer])
        guard let latest = with(timer.id!).first(where: { $0.state == .latest }) else { return }
        latest.state = .claiming
        claimThrottled(latest)
    }

    /// Continues a sequence, or ends a group, if possible.
    private func look(at group: Node) {
        guard group.isThere, group.state == .group, !all.contains(where: { $0.parent === group })
        else { return }
        if group.parts.isEmpty { return end(group) }
        guard group.isSequence else { return }
        begin(group.parts.removeFirst(), in: group)
        look(at: group)
    }

    /// Gives a free id to the next effect that waits for it.
    private func pass(on id: Int) {
        guard !with(id).contains(where: { $0.state == .group }) else { return }
        if let next = with(id).first(where: { $0.state == .waiting }) { open(next) }
    }

    /// Removes nodes and everything in them, at once, and then handles the consequences.
    ///
    /// - Parameter id: The id that is not passed on, since the caller takes it; nil if each id is passed on.
    private func remove(_ roots: [Node], from id: Int?) {
        let gone = all.filter { node in roots.contains { isInside(node, $0) } }
        for node in gone where node.isCarriedOut {
            todo.append { self.trace.append(.cancel(node.number)) }
        }
        takeAway(gone)
        consequences(of: gone, exceptFor: id)
    }

    private func takeAway(_ gone: [Node]) {
        for node in gone { node.isThere = false }
        all.removeAll { !$0.isThere }
    }

    private func consequences(of gone: [Node], exceptFor id: Int?) {
        for node in gone {
            if node.state == .group, let own = node.id, own != id { pass(on: own) }
            if let parent = node.parent { look(at: parent) }
        }
    }

    // MARK: What is there

    /// All effects that have an id or wait for it, except those that are about to take it.
    func with(_ id: Int) -> [Node] { all.filter { $0.id == id && $0.state != .claiming } }

    private func isInside(_ node: Node?, _ id: Int) -> Bool {
        guard let node else { return false }
        return node.id == id || isInside(node.parent, id)
    }

    private func isInside(_ node: Node?, _ root: Node) -> Bool {
        guard let node else { return false }
        return node === root || isInside(node.parent, root)
    }

    private func node(
        _ state: Node.State, in parent: Node?, id: Int? = nil, number: Int = 0
    ) -> Node {
        Node(state, of: parent?.event ?? events, in: parent, id: id, number: number)
    }

    @discardableResult
    private func add(_ node: Node) -> Node {
        all.append(node)
        return node
    }

    private func ask(_ node: Node, _ request: EffectTrace) {
        todo.append {
            guard node.isThere else { return }
            node.isCarriedOut = true
            self.trace.append(request)
        }
    }
}

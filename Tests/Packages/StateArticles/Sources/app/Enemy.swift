// snippet: enemy
class Enemy {
    var health = 10 {
        didSet { putOutOfPlayIfNeeded() }
    }

    // Important to only allow mutations of this property from within this class
    private(set) var isInPlay = true

    private func putOutOfPlayIfNeeded() {
        guard health <= 0 else {
            return
        }

        isInPlay = false
        remove()
    }

    private(set) var isRemoved = false
    private func remove() { isRemoved = true }
}
// end snippet

/// The article's first enemy, whose two properties may disagree.
// snippet: enemy-before
enum TwoTruths {
    class Enemy {
        var health = 10
        var isInPlay = false
    }
}
// end snippet

/// One source of truth, and what happens with two.
@MainActor
func checkEnemies() {
    let forgotten = TwoTruths.Enemy()
    forgotten.isInPlay = true
    forgotten.health = 0
    check("two sources of truth may disagree", forgotten.isInPlay, is: true)

    // snippet: special-attack
    let allEnemies = [Enemy(), Enemy()]

    func performSpecialAttack() {
        for enemy in allEnemies {
            enemy.health = 0
        }
    }
    // end snippet
    allEnemies[0].health = 1
    check("in play while healthy", allEnemies[0].isInPlay, is: true)
    performSpecialAttack()
    check("no enemy is left in play", allEnemies.map(\.isInPlay), is: [false, false])
    check("each was removed", allEnemies.map(\.isRemoved), is: [true, true])
}

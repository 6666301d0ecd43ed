/*
 * The graphs that the threads of protocol.pml meet, and what the threads do to them: one scenario a
 * -DSCENARIO. Every `if` below is a choice that spin makes both ways, so each scenario is a family.
 *
 * A thread may use what it holds a reference to, as in Swift, and lets go of it at the end.
 */

#define STACK 26

bit hadHandler = 0;
bit nobodyCancels = 0;

/* A pending node with so many references. */
inline make(x, k, references) {
    n[x].kind = k;
    n[x].rc = references;
    n[x].life = ALIVE
}

/* A promise with so many references, and the failed future that its deinit may make. */
inline makePromise(x, references, h) {
    make(x, PROMISE, references);
    n[x].heir = h;
    n[h].kind = HEIR
}

/* Whether its producer has called onCancel: either. */
inline maybeListens(x) {
    if
    :: n[x].listens = 1; hadHandler = 1
    :: skip
    fi
}

/* Waiter w is in the list of u, which owns one of its references. */
inline enrolled(w, u) {
    n[w].upstream = u;
    n[w].upstreamIsRoot = isRoot(n[u].kind);
    n[w].isLinked = 1;
    n[w].next = n[u].head;
    n[u].head = w
}

#define start0(a) run thread(a, 0, 0, nothing, 0, 0, nothing, 0, 0, nothing, 0, 0)
#define start1(a, x) run thread(a, x, 0, nothing, 0, 0, nothing, 0, 0, nothing, 0, 0)
#define start2(a, x, b, y) run thread(a, x, 0, b, y, 0, nothing, 0, 0, nothing, 0, 0)
#define start3(a, x, b, y, c, z) run thread(a, x, 0, b, y, 0, c, z, 0, nothing, 0, 0)
#define start4(a, x, b, y, c, z, d, w) run thread(a, x, 0, b, y, 0, c, z, 0, d, w, 0)
/* The first operation has two operands. */
#define start2with(a, x, x2, b, y) run thread(a, x, x2, b, y, 0, nothing, 0, 0, nothing, 0, 0)
#define start3with(a, x, x2, b, y, c, z) run thread(a, x, x2, b, y, 0, c, z, 0, nothing, 0, 0)
#define start4with(a, x, x2, b, y, c, z, d, w) run thread(a, x, x2, b, y, 0, c, z, 0, d, w, 0)

/* Whoever is cancelled hears, if he has asked to. */
inline heardIfCancelled(x) {
    assert(!hadHandler || n[x].kind != PROMISE || n[x].result != CANCELLED || n[x].heard == 1)
}

#if SCENARIO == 1
/* observe: enrolling against settling, against cancelling, against a handler, against release. */
#define NODES 4
inline setup() {
    makePromise(1, 3, 4);
    make(2, OBSERVER, 1);
    make(3, OBSERVER, 1);
    maybeListens(1);
    running = 3;
    start3with(observe, 2, 1, release, 2, release, 1);
    if
    :: start2(resolve, 1, release, 1)
    :: start1(release, 1)
    fi;
    if
    :: start3with(observe, 3, 1, release, 3, release, 1)
    :: start3(cancel, 1, release, 1, release, 3)
    :: start3(resolve, 1, release, 1, release, 3)
    :: hadHandler = 1; start3(onCancel, 1, release, 1, release, 3)
    fi
}
inline quiet() { skip }
inline expected() { heardIfCancelled(1) }

#elif SCENARIO == 2
/* cancel: two branches of a promise, against what its last holder does. */
#define NODES 6
inline setup() {
    makePromise(1, 1, 6);
    make(2, MAP, 2);
    make(3, MAP, 2);
    make(4, OBSERVER, 1);
    make(5, OBSERVER, 1);
    enrolled(2, 1);
    enrolled(3, 1);
    enrolled(4, 2);
    maybeListens(1);
    running = 3;
    start2(cancel, 2, release, 2);
    start2(cancel, 3, release, 3);
    if
    :: start3(resolve, 1, release, 1, release, 5)
    :: start3with(observe, 5, 1, release, 5, release, 1)
    :: start2(release, 1, release, 5)
    :: start3(whenQuiet, 0, release, 1, release, 5)
    fi
}
/* Both branches have given up: the producer has heard, if it listens. */
inline quiet() { assert(n[1].heard == hadHandler && n[1].wasGivenUp) }
inline expected() { heardIfCancelled(1) }

#elif SCENARIO == 3
/* cancel, along a chain: the future in the middle has two branches. */
#define NODES 6
inline setup() {
    makePromise(1, 1, 6);
    make(2, MAP, 2);
    make(3, MAP, 2);
    make(4, MAP, 2);
    make(5, OBSERVER, 1);
    enrolled(2, 1);
    enrolled(3, 2);
    enrolled(4, 2);
    enrolled(5, 3);
    n[1].listens = 1;
    hadHandler = 1;
    running = 3;
    start2(cancel, 3, release, 3);
    start2(cancel, 4, release, 4);
    if
    :: start3(resolve, 1, release, 1, release, 2)
    :: start3(cancel, 2, release, 2, release, 1)
    :: start2(release, 2, release, 1)
    :: start3(release, 2, whenQuiet, 0, release, 1)
    fi
}
inline quiet() { assert(n[1].heard == 1) }
inline expected() { heardIfCancelled(1) }

#elif SCENARIO == 4
/* A handler that comes late, while the only branch leaves. */
#define NODES 4
inline setup() {
    makePromise(1, 2, 4);
    make(2, MAP, 2);
    make(3, OBSERVER, 1);
    enrolled(2, 1);
    hadHandler = 1;
    running = 3;
    start2(cancel, 2, release, 2);
    start2(onCancel, 1, release, 1);
    if
    :: start3with(observe, 3, 1, release, 3, release, 1)
    :: start3(cancel, 1, release, 1, release, 3)
    :: start3(resolve, 1, release, 1, release, 3)
    :: start2(release, 1, release, 3)
    :: start3(whenQuiet, 0, release, 1, release, 3)
    fi
}
inline quiet() { assert(n[1].heard == 1) }
inline expected() { heardIfCancelled(1) }

#elif SCENARIO == 5
/* A task awaits, and is cancelled before, while, or after it begins to. */
#define NODES 4
inline setup() {
    makePromise(1, 2, 4);
    make(2, TASK, 2);
    make(3, MAP, 2);
    enrolled(3, 1);
    maybeListens(1);
    running = 3;
    start3with(await, 2, 1, release, 2, release, 1);
    start4(cancelTask, 2, release, 2, cancel, 3, release, 3);
    if
    :: start2(resolve, 1, release, 1)
    :: start2(cancel, 1, release, 1)
    :: start1(release, 1)
    :: start2(whenQuiet, 0, release, 1)
    fi
}
inline quiet() { assert(n[1].heard == hadHandler && n[2].flags == FAILURE) }
inline expected() { heardIfCancelled(1) }

#elif SCENARIO == 6
/* link: a flatMap whose inner future is a promise that others hold, and derive from. */
#define NODES 7
inline setup() {
    makePromise(1, 1, 6);
    makePromise(2, 2, 7);
    make(3, FLAT, 2);
    make(4, OBSERVER, 1);
    make(5, MAP, 2);
    n[3].closure = 2;
    enrolled(3, 1);
    enrolled(4, 3);
    enrolled(5, 2);
    n[2].listens = 1;
    hadHandler = 1;
    running = 3;
    if
    :: start2(resolve, 1, release, 1)
    :: start1(release, 1)
    fi;
    start2(cancel, 3, release, 3);
    if
    :: start3(resolve, 2, release, 2, release, 5)
    :: start3(cancel, 2, release, 2, release, 5)
    :: start3(release, 2, cancel, 5, release, 5)
    :: start4(cancel, 5, release, 5, whenQuiet, 0, release, 2)
    fi
}
inline quiet() { assert(n[2].heard == 1) }
inline expected() { heardIfCancelled(2) }

#elif SCENARIO == 7
/* link: the inner future is derived, and nobody else holds it. */
#define NODES 7
inline setup() {
    makePromise(1, 1, 6);
    makePromise(2, 1, 7);
    make(3, FLAT, 2);
    make(4, OBSERVER, 1);
    make(5, MAP, 2);
    n[3].closure = 5;
    enrolled(3, 1);
    enrolled(4, 3);
    enrolled(5, 2);
    n[2].listens = 1;
    hadHandler = 1;
    running = 3;
    start2(resolve, 1, release, 1);
    start2(cancel, 3, release, 3);
    if
    :: start2(resolve, 2, release, 2)
    :: start2(cancel, 2, release, 2)
    :: start1(release, 2)
    :: start2(whenQuiet, 0, release, 2)
    fi
}
/* What the transform has returned has lost its only interest; what it has not was never begun. */
inline quiet() { assert(n[2].heard == n[3].started) }
inline expected() { heardIfCancelled(2) }

#elif SCENARIO == 8
/* link, a loop's turn: 3 forwards 4, which is about to forward 5 and to be taken out. */
#define NODES 9
inline lastHolderOf8() {
    if
    :: start2(resolve, 2, release, 2)
    :: start1(release, 2)
    :: start2(whenQuiet, 0, release, 2)
    :: n[4].rc = 2; start2(release, 4, release, 2)
    :: n[4].rc = 2; start3(cancel, 4, release, 4, release, 2)
    fi
}
inline setup() {
    makePromise(1, 1, 7);
    make(3, FLAT, 2);
    make(6, OBSERVER, 1);
    if
    :: /* The inner future is derived. */
        makePromise(2, 1, 8);
        make(5, MAP, 2);
        enrolled(5, 2);
        make(4, FLAT, 1);
        n[4].closure = 5
    :: /* It is a promise. */
        makePromise(2, 2, 8);
        make(4, FLAT, 1);
        n[4].closure = 2
    fi;
    n[3].isForwarding = 1;
    enrolled(4, 1);
    enrolled(3, 4);
    enrolled(6, 3);
    n[2].listens = 1;
    hadHandler = 1;
    running = 3;
    start2(resolve, 1, release, 1);
    if
    :: /* Nobody cancels, and a user holds the one that might be taken out. */
        nobodyCancels = 1;
        n[4].rc = 2;
        start1(release, 3);
        start3(whenQuiet, 0, release, 4, release, 2)
    :: /* And observes it. */
        n[4].rc = 2;
        make(9, OBSERVER, 1);
        start1(release, 3);
        start4with(observe, 9, 4, release, 9, release, 4, release, 2)
    :: start2(cancel, 3, release, 3);
        lastHolderOf8()
    fi
}
inline quiet() {
    assert(!nobodyCancels || n[4].flags == PENDING && n[4].started && n[4].isLinked);
    assert(nobodyCancels || n[2].heard == n[4].started)
}
inline expected() { heardIfCancelled(2) }

#elif SCENARIO == 9
/* link, a turn on a settled future: 3 is to forward 4, which forwards already, and is taken out. */
#define NODES 8
inline setup() {
    make(1, MAP, 1);
    n[1].flags = VALUE;
    n[1].result = SUCCESS;
    make(3, FLAT, 1);
    n[3].closure = 4;
    make(6, OBSERVER, 1);
    enrolled(6, 3);
    makePromise(2, 1, 8);
    make(4, FLAT, 2);
    n[4].isForwarding = 1;
    n[2].listens = 1;
    hadHandler = 1;
    running = 3;
    /* A third thread holds the future in between, or nothing. */
    if
    :: enrolled(4, 2); start0(nothing)
    :: make(5, MAP, 2); enrolled(5, 2); enrolled(4, 5); start2(cancel, 5, release, 5)
    :: make(5, MAP, 2); enrolled(5, 2); enrolled(4, 5); start1(release, 5)
    fi;
    if
    :: run thread(flatMapSettled, 3, 1, release, 1, 0, cancel, 3, 0, release, 3, 0)
    :: run thread(flatMapSettled, 3, 1, release, 1, 0, release, 3, 0, nothing, 0, 0)
    fi;
    if
    :: start1(release, 2)
    :: start2(resolve, 2, release, 2)
    :: start2(whenQuiet, 0, release, 2)
    fi
}
inline quiet() { assert(n[2].heard == (n[3].result == CANCELLED -> 1 : 0)) }
inline expected() { heardIfCancelled(2) }

#elif SCENARIO == 10
/* An aggregate: the first of two inputs, against the other, against who cancels it. */
#define NODES 9
inline setup() {
    makePromise(1, 1, 7);
    makePromise(2, 1, 8);
    make(3, RACE, 2);
    n[3].remaining = 2;
    n[3].holdsInputs = 1;
    make(4, INPUT, 2);
    n[4].owner = 3;
    make(5, INPUT, 2);
    n[5].owner = 3;
    make(6, OBSERVER, 1);
    make(9, MAP, 2);
    enrolled(4, 1);
    enrolled(5, 2);
    enrolled(9, 3);
    enrolled(6, 9);
    n[1].listens = 1;
    n[2].listens = 1;
    hadHandler = 1;
    running = 3;
    if
    :: start2(resolve, 1, release, 1)
    :: start1(release, 1)
    fi;
    if
    :: start2(resolve, 2, release, 2)
    :: start2(cancel, 2, release, 2)
    :: start2(whenQuiet, 0, release, 2)
    fi;
    if
    :: start3(cancel, 3, release, 3, release, 9)
    :: start3(cancel, 9, release, 9, release, 3)
    :: start2(release, 3, release, 9)
    fi
}
/* Whatever became of the first input, the other is not needed any more. */
inline quiet() { assert(n[2].heard == (n[3].result == NONE -> 0 : 1)) }
inline expected() { heardIfCancelled(1); heardIfCancelled(2) }

#elif SCENARIO == 11
/* Deliveries that are put off, against a promise that goes and branches that are cancelled. */
#define PUTTING_OFF 1
#define NODES 6
inline setup() {
    makePromise(1, 1, 6);
    make(2, MAP, 3);
    make(3, OBSERVER, 1);
    make(4, OBSERVER, 1);
    make(5, MAP, 2);
    enrolled(2, 1);
    enrolled(3, 2);
    enrolled(5, 1);
    n[1].listens = 1;
    hadHandler = 1;
    running = 3;
    if
    :: start2(resolve, 1, release, 1)
    :: start1(release, 1)
    fi;
    start4(cancel, 2, release, 2, cancel, 5, release, 5);
    if
    :: start3with(observe, 4, 2, release, 4, release, 2)
    :: start2(release, 4, release, 2)
    fi
}
inline quiet() { skip }
inline expected() { heardIfCancelled(1) }
#elif SCENARIO == 12
/* A promise goes within a delivery, so what was put off outlives it. */
#define PUTTING_OFF 1
#define NODES 7
inline setup() {
    makePromise(1, 1, 6);
    makePromise(2, 1, 7);
    make(3, FLAT, 1);
    n[3].closure = 2;
    make(4, MAP, 2);
    make(5, OBSERVER, 1);
    enrolled(3, 1);
    enrolled(4, 2);
    enrolled(5, 4);
    maybeListens(2);
    running = 2;
    if
    :: start1(release, 1)
    :: start2(resolve, 1, release, 1)
    fi;
    start2(cancel, 4, release, 4)
}
inline quiet() { skip }
inline expected() { heardIfCancelled(2) }

#elif SCENARIO == 13
/* link: 3 waits for 4 and takes its place, while 4 begins to wait for its inner future. */
#define NODES 9
inline setup() {
    makePromise(1, 1, 8);
    makePromise(2, 1, 9);
    make(4, FLAT, 2);
    enrolled(4, 1);
    if
    :: n[2].rc = 2; n[4].closure = 2
    :: make(5, MAP, 2); enrolled(5, 2); n[4].closure = 5
    fi;
    make(7, MAP, 1);
    n[7].flags = VALUE;
    n[7].result = SUCCESS;
    make(3, FLAT, 1);
    n[3].closure = 4;
    make(6, OBSERVER, 1);
    enrolled(6, 3);
    n[2].listens = 1;
    hadHandler = 1;
    running = 3;
    start2(resolve, 1, release, 1);
    if
    :: run thread(flatMapSettled, 3, 7, release, 7, 0, cancel, 3, 0, release, 3, 0)
    :: run thread(flatMapSettled, 3, 7, release, 7, 0, release, 3, 0, nothing, 0, 0)
    fi;
    if
    :: start1(release, 2)
    :: start2(resolve, 2, release, 2)
    :: start2(whenQuiet, 0, release, 2)
    fi
}
/* If 3 is cancelled before 4's transform is called, that is never begun. */
inline quiet() {
    assert(n[2].heard == (n[3].result == CANCELLED && n[4].started -> 1 : 0))
}
inline expected() { heardIfCancelled(2) }

#elif SCENARIO == 14
/* An aggregate of the same promise twice: one thread gives up both inputs. */
#define NODES 6
inline setup() {
    makePromise(1, 1, 6);
    make(2, RACE, 2);
    n[2].remaining = 2;
    n[2].holdsInputs = 1;
    make(3, INPUT, 2);
    n[3].owner = 2;
    make(4, INPUT, 2);
    n[4].owner = 2;
    make(5, OBSERVER, 1);
    enrolled(3, 1);
    enrolled(4, 1);
    enrolled(5, 2);
    maybeListens(1);
    running = 2;
    start2(cancel, 2, release, 2);
    if
    :: start2(resolve, 1, release, 1)
    :: start2(cancel, 1, release, 1)
    :: start1(release, 1)
    :: start2(whenQuiet, 0, release, 1)
    fi
}
inline quiet() { assert(n[1].heard == hadHandler && n[1].wasGivenUp) }
inline expected() { heardIfCancelled(1) }

#elif SCENARIO == 15
/* An aggregate is begun: its second input is made and enrolled while the first settles it. */
#define NODES 8
inline setup() {
    makePromise(1, 2, 7);
    makePromise(2, 2, 8);
    make(3, RACE, 2);
    n[3].remaining = 3;
    n[4].kind = INPUT;
    n[4].to = 3;
    n[5].kind = INPUT;
    n[5].to = 3;
    make(6, OBSERVER, 1);
    enrolled(6, 3);
    n[2].listens = 1;
    hadHandler = 1;
    running = 3;
    run thread(addInput, 4, 1, addInput, 5, 2, handOver, 3, 0, releaseRange, 1, 3);
    start2(resolve, 1, release, 1);
    if
    :: start2(resolve, 2, release, 2)
    :: start1(release, 2)
    :: start2(whenQuiet, 0, release, 2)
    fi
}
inline quiet() { assert(n[2].heard == 1) }
inline expected() { heardIfCancelled(2) }

#elif SCENARIO == 16
/* An observer's closure cancels what is delivered to after it, or lets the last of another promise
   go, while others cancel too. */
#define PUTTING_OFF 1
#define NODES 7
inline setup() {
    makePromise(1, 1, 6);
    make(2, OBSERVER, 1);
    make(3, MAP, 2);
    enrolled(2, 1);
    enrolled(3, 1);
    makePromise(4, 1, 7);
    make(5, MAP, 2);
    enrolled(5, 4);
    n[1].listens = 1;
    n[4].listens = 1;
    hadHandler = 1;
    if
    :: n[2].does = cancel; n[2].to = 3; n[3].rc = 3; start2(release, 4, nothing, 0)
    :: n[2].does = resolve; n[2].to = 4; start0(nothing)
    :: n[2].does = nothing; n[2].to = 4; start0(nothing)
    fi;
    running = 3;
    if
    :: start2(resolve, 1, release, 1)
    :: start1(release, 1)
    fi;
    start4(cancel, 5, release, 5, cancel, 3, release, 3)
}
inline quiet() { skip }
inline expected() { heardIfCancelled(1); heardIfCancelled(4) }

#elif SCENARIO == 17
/* A future with a timeout: the time is over, or its source is cancelled while it is delivered to. */
#define NODES 5
inline setup() {
    makePromise(1, 1, 5);
    make(2, MAP, 2);
    make(3, TIMED, 2);
    make(4, OBSERVER, 1);
    enrolled(2, 1);
    enrolled(3, 2);
    enrolled(4, 3);
    n[1].listens = 1;
    hadHandler = 1;
    running = 3;
    if
    :: start2(resolve, 1, release, 1)
    :: start1(release, 1)
    :: start2(whenQuiet, 0, release, 1)
    fi;
    start2(cancel, 2, release, 2);
    start2(cancel, 3, release, 3)
}
inline quiet() { assert(n[1].heard == 1) }
inline expected() { heardIfCancelled(1) }
#endif

#ifndef PUTTING_OFF
#define PUTTING_OFF 0
#endif

/*
 * The graphs that the threads of protocol.pml meet, and what the threads do to them: one scenario a
 * -DSCENARIO. Every `if` below is a choice that spin makes both ways, so each scenario is a family.
 *
 * A thread may use what it holds a reference to, as in Swift, and lets go of it at the end.
 */

#define STACK 32

bit hadHandler = 0;
bit nobodyCancels = 0;
bit hasBranch = 0;

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

/* The bound on nested deliveries is reached at once, soon, or never. */
inline maybeShallow() {
    if
    :: maximumDepth = 1
    :: maximumDepth = 2
    :: skip
    fi
}

/* A closure of x, which owns a reference of y, calls an operation on it. */
inline closureCalls(x, operation, y, z) {
    n[x].does = operation;
    n[x].to = y;
    n[x].with = z
}

/* The aggregate a has the input w, which is in the list of u; it counts it, and owns itself. */
inline isInput(w, a, u) {
    make(w, INPUT, 2);
    n[w].owner = a;
    n[a].inputs = n[a].inputs | bitOf(w);
    n[a].remaining = n[a].remaining + 1;
    enrolled(w, u)
}

/* The future x will set the timer t. */
inline willSet(x, t) {
    n[t].kind = TIMER;
    n[t].owner = x;
    n[x].owner = t
}

/* Node w is in the list of u, which owns one of its references. */
inline enrolled(w, u) {
    n[w].upstream = u;
    n[w].isEnrolled = 1;
    n[w].next = n[u].head;
    n[n[u].head].previous = (n[u].head != 0 -> w : 0);
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

/* A cancelled producer with a handler is notified. */
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
    run thread(observe, 2, 1, release, 1, 0, await, 2, 0, release, 2, 0);
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
/* forward: a flatMap whose inner future is a promise that others hold, and derive from. */
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
/* forward: the inner future is derived, and nobody else holds it. */
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
/* forward, a loop's turn: 3 forwards 4, which is about to forward 5 and to be spliced out. */
#define NODES 9
inline innerIsDerived() {
    makePromise(2, 1, 8);
    make(5, MAP, 2);
    enrolled(5, 2);
    n[4].closure = 5
}
inline innerIsPromise() {
    makePromise(2, 2, 8);
    n[4].closure = 2
}
inline setup() {
    makePromise(1, 1, 7);
    make(3, FLAT, 2);
    make(4, FLAT, 1);
    make(6, OBSERVER, 1);
    n[3].isForwarding = 1;
    enrolled(4, 1);
    enrolled(3, 4);
    enrolled(6, 3);
    running = 3;
    start2(resolve, 1, release, 1);
    if
    :: /* Nobody cancels, and a user holds the one that might be spliced out. */
        innerIsDerived();
        nobodyCancels = 1;
        n[4].rc = 2;
        start1(release, 3);
        start3(whenQuiet, 0, release, 4, release, 2)
    :: /* An aggregate has left it a lasting interest. */
        innerIsDerived();
        n[4].lasts = 1;
        start2(cancel, 3, release, 3);
        start2(whenQuiet, 0, release, 2)
    :: /* And observes it. */
        innerIsPromise();
        n[4].rc = 2;
        make(9, OBSERVER, 1);
        start1(release, 3);
        start4with(observe, 9, 4, release, 9, release, 4, release, 2)
    :: innerIsDerived();
        start2(cancel, 3, release, 3);
        if
        :: start2(whenQuiet, 0, release, 2)
        :: n[4].rc = 2; start2(release, 4, release, 2)
        fi
    :: innerIsPromise();
        start2(cancel, 3, release, 3);
        if
        :: start2(resolve, 2, release, 2)
        :: start1(release, 2)
        :: n[4].rc = 2; start3(cancel, 4, release, 4, release, 2)
        fi
    fi;
    n[2].listens = 1;
    hadHandler = 1
}
inline quiet() {
    assert(!nobodyCancels || n[4].flags == PENDING && n[4].started && n[4].isEnrolled);
    assert(nobodyCancels || n[2].heard == (n[4].lasts -> 0 : n[4].started))
}
inline expected() { heardIfCancelled(2) }

#elif SCENARIO == 9
/* forward, a turn on a settled future: 3 is to forward 4, which forwards already, and is spliced out. */
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
    :: /* Between two others. */
        make(5, OBSERVER, 1);
        make(7, OBSERVER, 1);
        enrolled(5, 2);
        enrolled(4, 2);
        enrolled(7, 2);
        start0(nothing)
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
inline quiet() {
    assert(n[5].kind == OBSERVER || n[2].heard == (n[3].result == CANCELLED -> 1 : 0))
}
inline expected() { heardIfCancelled(2) }

#elif SCENARIO == 10
/* An aggregate: the first of two inputs, against the other, against who cancels it. */
#define NODES 9
inline setup() {
    makePromise(1, 1, 7);
    makePromise(2, 1, 8);
    make(3, RACE, 2);
    isInput(4, 3, 1);
    isInput(5, 3, 2);
    make(6, OBSERVER, 1);
    make(9, MAP, 2);
    enrolled(9, 3);
    enrolled(6, 9);
    n[1].listens = 1;
    n[2].listens = 1;
    hadHandler = 1;
    running = 3;
    if
    :: start2(resolve, 1, release, 1);
        start3(cancel, 9, release, 9, release, 3);
        if
        :: start2(resolve, 2, release, 2)
        :: start2(cancel, 2, release, 2)
        :: start2(whenQuiet, 0, release, 2)
        fi
    :: start1(release, 1);
        start3(cancel, 3, release, 3, release, 9);
        start2(resolve, 2, release, 2)
    :: start2(resolve, 1, release, 1);
        start2(release, 3, release, 9);
        if
        :: start1(release, 2)
        :: start2(cancel, 2, release, 2)
        :: start2(whenQuiet, 0, release, 2)
        fi
    fi
}
/* Whatever became of the first input, the other is not needed any more. */
inline quiet() { assert(n[2].heard == (n[3].result == NONE -> 0 : 1)) }
inline expected() { heardIfCancelled(1); heardIfCancelled(2) }

#elif SCENARIO == 11
/* Deliveries that are put off, against a promise that goes and branches that are cancelled. */
#define QUEUE 4
#define FRAMES 3
#define NODES 6
inline setup() {
    maybeShallow();
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
#define QUEUE 4
#define FRAMES 3
#define NODES 7
inline setup() {
    maybeShallow();
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
/* forward: 3 waits for 4 and takes its place, while 4 begins to wait for its inner future. */
#define NODES 9
inline setup() {
    makePromise(1, 1, 8);
    makePromise(2, 1, 9);
    make(4, FLAT, 2);
    enrolled(4, 1);
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
    :: n[2].rc = 2;
        n[4].closure = 2;
        run thread(flatMapSettled, 3, 7, release, 7, 0, cancel, 3, 0, release, 3, 0);
        if
        :: start1(release, 2)
        :: start2(resolve, 2, release, 2)
        :: start2(whenQuiet, 0, release, 2)
        fi
    :: make(5, MAP, 2);
        enrolled(5, 2);
        n[4].closure = 5;
        if
        :: start2(resolve, 2, release, 2);
            run thread(flatMapSettled, 3, 7, release, 7, 0, release, 3, 0, nothing, 0, 0)
        :: start2(whenQuiet, 0, release, 2);
            run thread(flatMapSettled, 3, 7, release, 7, 0, cancel, 3, 0, release, 3, 0)
        fi
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
    isInput(3, 2, 1);
    isInput(4, 2, 1);
    make(5, OBSERVER, 1);
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
#define QUEUE 4
#define FRAMES 3
#define NODES 7
inline setup() {
    maybeShallow();
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
    :: closureCalls(2, cancel, 3, 0); n[3].rc = 3; start2(release, 4, nothing, 0)
    :: closureCalls(2, resolve, 4, 0); start0(nothing)
    :: closureCalls(2, nothing, 4, 0); start0(nothing)
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
/* A future with a timeout: the time is over, now or while the timer is set; or its source settles or is
   cancelled, and the timer is taken back. */
#define NODES 6
inline setup() {
    makePromise(1, 1, 5);
    make(2, MAP, 2);
    make(3, TIMED, 2);
    make(4, OBSERVER, 1);
    willSet(3, 6);
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
    if
    :: start4(keep, 3, cancel, 2, release, 2, release, 3)
    :: start4(keep, 3, cancel, 3, release, 2, release, 3)
    :: start3(keep, 3, release, 2, release, 3)
    fi;
    if
    :: start1(fire, 6)
    :: start1(dropTimer, 6)
    :: start0(nothing)
    fi
}
inline quiet() { assert(n[1].heard == (n[3].result != NONE -> 1 : 0)) }
inline expected() { heardIfCancelled(1) }

#elif SCENARIO == 18
/* A delayed future: the timer is set while it is cancelled; fires, or is dropped with the scheduler. */
#define NODES 7
inline setup() {
    makePromise(1, 1, 2);
    make(3, DELAYED, 2);
    make(4, OBSERVER, 1);
    willSet(3, 5);
    n[5].to = 6;
    n[6].kind = RESOLVER;
    make(7, THING, 1);
    n[3].closure = 7;
    enrolled(3, 1);
    enrolled(4, 3);
    n[1].listens = 1;
    hadHandler = 1;
    running = 3;
    if
    :: start2(resolve, 1, release, 1);
        if
        :: start1(fire, 5)
        :: start1(dropTimer, 5)
        fi;
        if
        :: start2(cancel, 3, release, 3)
        :: start1(release, 3)
        fi
    :: start1(release, 1); start1(fire, 5); start2(cancel, 3, release, 3)
    :: start1(release, 1); start1(dropTimer, 5); start1(release, 3)
    :: start2(resolve, 1, release, 1); start0(nothing); start2(cancel, 3, release, 3)
    :: start2(whenQuiet, 0, release, 1); start0(nothing); start2(cancel, 3, release, 3)
    fi
}
inline quiet() { assert(n[1].heard == 1) }
inline expected() { heardIfCancelled(1) }

#elif SCENARIO == 19
/* A traversal: of three items, two are pending and one is to start. The losers of a failure are stopped
   before what comes next. */
#define NODES 10
/* The third item has settled already; or nobody will settle it. */
inline settledThird() {
    make(3, PROMISE, 1);
    n[3].flags = VALUE;
    n[3].result = SUCCESS
}
inline setup() {
    make(1, PROMISE, 1);
    make(2, PROMISE, 1);
    make(5, TRAVERSAL, 3);
    isInput(6, 5, 1);
    isInput(7, 5, 2);
    n[5].remaining = 0;
    make(10, OBSERVER, 1);
    enrolled(10, 5);
    make(9, WORK, 1);
    work = 9;
    pending = 2;
    room = 2;
    nextItem = 3;
    lastItem = 3;
    inputOf = 5;
    n[8].kind = INPUT;
    n[1].listens = 1;
    n[2].listens = 1;
    hadHandler = 1;
    losers = bitOf(2);
    loserObserver = 10;
    running = 3;
    if
    :: run thread(fail, 1, FAILED, release, 1, 0, nothing, 0, 0, nothing, 0, 0);
        settledThird();
        start1(release, 5);
        if
        :: start2(resolve, 2, release, 2)
        :: start3(whenQuiet, 0, cancel, 2, release, 2)
        fi
    :: start2(resolve, 1, release, 1);
        makePromise(3, 1, 4);
        start2(resolve, 2, release, 2);
        start1(release, 5)
    :: start2(resolve, 1, release, 1);
        settledThird();
        if
        :: start2(resolve, 2, release, 2); start2(cancel, 5, release, 5)
        :: losers = 0; start2(cancel, 2, release, 2); start1(release, 5)
        fi
    fi
}
inline quiet() { assert(n[2].heard == (n[5].result == NONE -> 0 : 1)) }
inline expected() { heardIfCancelled(1); heardIfCancelled(2) }

#elif SCENARIO == 20
/* A traversal begins, by the thread that makes it, while its inputs settle. */
#define NODES 10
inline setup() {
    make(1, PROMISE, 2);
    make(2, PROMISE, 2);
    make(5, TRAVERSAL, 2);
    make(10, OBSERVER, 1);
    enrolled(10, 5);
    make(9, WORK, 1);
    work = 9;
    room = 1;
    if
    :: room = 2
    :: skip
    fi;
    nextItem = 1;
    lastItem = 2;
    inputOf = 5;
    n[6].kind = INPUT;
    n[7].kind = INPUT;
    n[1].listens = 1;
    n[2].listens = 1;
    running = 3;
    start2(pump, 5, release, 5);
    start2(resolve, 1, release, 1);
    if
    :: run thread(fail, 2, FAILED, release, 2, 0, release, 5, 0, nothing, 0, 0)
    :: start3(resolve, 2, release, 2, release, 5)
    :: start4(cancel, 5, release, 5, resolve, 2, release, 2)
    fi
}
inline quiet() { skip }
inline expected() { skip }

#elif SCENARIO == 21
/* A cycle: a flatMap's closure returns what derives from its own future, or that. */
#define NODES 7
inline setup() {
    makePromise(1, 1, 2);
    make(3, FLAT, 2);
    make(5, MAP, 2);
    make(6, OBSERVER, 1);
    enrolled(3, 1);
    enrolled(5, 3);
    maybeListens(1);
    if
    :: n[3].closure = 3;
        n[3].rc = 3;
        enrolled(6, 5)
    :: n[3].closure = 5;
        n[5].rc = 3;
        enrolled(6, 5)
    :: make(4, FLAT, 2);
        n[4].isForwarding = 1;
        enrolled(4, 5);
        enrolled(6, 4);
        n[3].closure = 4
    fi;
    running = 3;
    if
    :: start1(release, 1); start2(cancel, 5, release, 5); start2(cancel, 3, release, 3)
    :: start2(resolve, 1, release, 1);
        if
        :: start2(cancel, 5, release, 5); start1(release, 3)
        :: start1(release, 5); start2(cancel, 3, release, 3)
        fi
    fi
}
inline quiet() { skip }
inline expected() { heardIfCancelled(1) }

#elif SCENARIO == 22
/* Order, on one thread: what an observer adds comes after what was registered before. */
#define QUEUE 4
#define FRAMES 3
#define NODES 14
inline setup() {
    maybeShallow();
    makePromise(1, 1, 2);
    make(3, OBSERVER, 1);
    make(4, OBSERVER, 1);
    make(5, OBSERVER, 1);
    n[3].place = 1;
    n[4].place = 2;
    n[5].place = 3;
    enrolled(3, 1);
    enrolled(4, 1);
    running = 1;
    if
    :: /* The first of two observers adds one. */
        closureCalls(3, observe, 5, 1);
        start2(resolve, 1, release, 1)
    :: /* Another future's, which settles within the first. */
        makePromise(6, 1, 7);
        make(8, OBSERVER, 1);
        enrolled(8, 6);
        closureCalls(3, resolve, 6, 0);
        closureCalls(8, observe, 5, 1);
        start2(resolve, 1, release, 1)
    :: /* Another future's, before the delivery and after it; the second is put off. */
        makePromise(6, 1, 7);
        makePromise(9, 1, 10);
        make(8, OBSERVER, 1);
        make(11, OBSERVER, 1);
        enrolled(8, 6);
        enrolled(11, 9);
        closureCalls(3, resolve, 9, 0);
        closureCalls(8, resolveAndObserve, 5, 1);
        start3(resolve, 6, release, 6, release, 1)
    :: /* Another future's, while that one's delivery is put off and then goes on in an event loop. */
        makePromise(6, 1, 7);
        makePromise(9, 1, 10);
        makePromise(12, 1, 13);
        make(8, OBSERVER, 1);
        make(11, OBSERVER, 1);
        make(14, OBSERVER, 1);
        n[3].place = 0;
        n[4].place = 0;
        n[8].place = 2;
        enrolled(8, 6);
        enrolled(11, 9);
        enrolled(14, 12);
        closureCalls(3, resolve, 12, 0);
        closureCalls(14, turnLoop, 6, 9);
        closureCalls(11, observe, 5, 6);
        start3(resolve, 1, release, 1, release, 9)
    fi
}
inline quiet() { skip }
inline expected() { assert(lastPlace == 3) }

#elif SCENARIO == 23
/* Depth, on one thread: each future's settling settles the next. */
#define QUEUE 5
#define FRAMES 3
#define NODES 16
inline chained(k, operation) {
    closureCalls(k, operation, k + 1, 0);
    n[k].listens = 1
}
/* Observer w, of u, calls an operation on the next. */
inline observes(w, u, operation, x) {
    make(w, OBSERVER, 1);
    enrolled(w, u);
    closureCalls(w, operation, x, 0)
}
inline setup() {
    if
    :: maximumDepth = 1
    :: maximumDepth = 2
    fi;
    running = 1;
    if
    :: /* Promises 1 to 5; each but the last owns the next, by a handler or by an observer. */
        makePromise(1, 1, 6);
        makePromise(2, 1, 7);
        makePromise(3, 1, 8);
        makePromise(4, 1, 9);
        makePromise(5, 1, 10);
        if
        :: /* `p.onCancel { next.cancel() }` */
            chained(1, cancel); chained(2, cancel); chained(3, cancel); chained(4, cancel)
        :: chained(1, nothing); chained(2, nothing); chained(3, nothing); chained(4, nothing)
        :: observes(11, 1, nothing, 2); observes(12, 2, nothing, 3);
            observes(13, 3, nothing, 4); observes(14, 4, nothing, 5)
        :: observes(11, 1, resolve, 2); observes(12, 2, resolve, 3);
            observes(13, 3, resolve, 4); observes(14, 4, resolve, 5)
        :: observes(11, 1, cancel, 2); observes(12, 2, cancel, 3);
            observes(13, 3, cancel, 4); observes(14, 4, cancel, 5)
        :: /* Event loops in observers, one of which settles something before. */
            observes(11, 1, resolve, 2); observes(12, 2, turnLoop, 3);
            observes(13, 3, resolve, 4); observes(14, 4, resolve, 5)
        :: observes(11, 1, turnLoop, 2); observes(12, 2, resolve, 3);
            observes(13, 3, turnLoop, 4); observes(14, 4, resolve, 5)
        :: observes(11, 1, resolve, 2); observes(12, 2, turnLoop, 3); n[12].with = 4;
            observes(13, 3, nothing, 4); observes(14, 4, nothing, 5)
        :: /* And the same with promises that have handlers. */
            make(15, THING, 1); make(16, THING, 1);
            closureCalls(3, nothing, 15, 0); closureCalls(5, nothing, 16, 0);
            n[3].listens = 1; n[5].listens = 1;
            if
            :: turnDoes = cancel
            :: skip
            fi;
            observes(11, 1, resolve, 2); observes(12, 2, turnLoop, 3); n[12].with = 4;
            observes(13, 3, nothing, 4);
            if
            :: observes(14, 4, cancel, 5)
            :: observes(14, 4, resolve, 5)
            fi
        fi;
        if
        :: start2(cancel, 1, release, 1)
        :: start2(resolve, 1, release, 1)
        :: start1(release, 1)
        fi
    :: /* Resolvers 6 to 9 of the futures 2 to 5; the handler of each future owns the next resolver. */
        make(1, PROMISE, 1); make(2, PROMISE, 1); make(3, PROMISE, 1); make(4, PROMISE, 1);
        make(5, PROMISE, 1);
        make(6, RESOLVER, 1); make(7, RESOLVER, 1); make(8, RESOLVER, 1); make(9, RESOLVER, 1);
        closureCalls(6, nothing, 2, 0); closureCalls(7, nothing, 3, 0); closureCalls(8, nothing, 4, 0);
        closureCalls(9, nothing, 5, 0);
        closureCalls(1, nothing, 6, 0); closureCalls(2, nothing, 7, 0); closureCalls(3, nothing, 8, 0);
        closureCalls(4, nothing, 9, 0);
        n[1].listens = 1; n[2].listens = 1; n[3].listens = 1; n[4].listens = 1;
        start2(resolve, 1, release, 1)
    :: /* `next = p.always { next.cancel() }`: 2 to 4 derive from the promise 1. */
        makePromise(1, 1, 6);
        make(2, MAP, 2); make(3, MAP, 2); make(4, MAP, 2); make(5, MAP, 2);
        enrolled(2, 1); enrolled(3, 1); enrolled(4, 1); enrolled(5, 1);
        observes(11, 2, cancel, 3); observes(12, 3, cancel, 4); observes(13, 4, cancel, 5);
        start3(cancel, 2, release, 2, release, 1)
    fi
}
inline quiet() { skip }
inline expected() { skip }

#elif SCENARIO == 24
/* `all` of two inputs, which settle at the same time, or fail; and who cancels it. */
#define NODES 8
inline setup() {
    makePromise(1, 1, 7);
    makePromise(2, 1, 8);
    make(3, ALL, 2);
    isInput(4, 3, 1);
    isInput(5, 3, 2);
    make(6, OBSERVER, 1);
    enrolled(6, 3);
    n[1].listens = 1;
    n[2].listens = 1;
    hadHandler = 1;
    loserObserver = 6;
    running = 3;
    if
    :: start2(resolve, 1, release, 1)
    :: run thread(fail, 1, FAILED, release, 1, 0, nothing, 0, 0, nothing, 0, 0)
    fi;
    if
    :: start2(resolve, 2, release, 2); losers = bitOf(2)
    :: start2(cancel, 2, release, 2)
    :: start3(whenQuiet, 0, cancel, 2, release, 2); losers = bitOf(2)
    fi;
    if
    :: start2(cancel, 3, release, 3)
    :: start1(release, 3)
    fi
}
inline quiet() { assert(n[2].heard == (n[3].result == NONE -> 0 : 1)) }
inline expected() { heardIfCancelled(1); heardIfCancelled(2) }

#elif SCENARIO == 25
/* Two flatMaps, each by its own thread, adopt each other. */
#define NODES 6
inline setup() {
    makePromise(1, 1, 5);
    makePromise(2, 1, 6);
    make(3, FLAT, 2);
    make(4, FLAT, 2);
    n[3].closure = 4;
    n[4].closure = 3;
    enrolled(3, 1);
    enrolled(4, 2);
    running = 3;
    if
    :: start2(resolve, 1, release, 1)
    :: start1(release, 1)
    fi;
    start2(resolve, 2, release, 2);
    if
    :: start0(nothing)
    :: n[3].rc = 3; start1(release, 3)
    :: n[3].rc = 3; start2(cancel, 3, release, 3)
    fi
}
inline quiet() { skip }
inline expected() { assert(isSettled(n[3].flags) && isSettled(n[4].flags)) }

#elif SCENARIO == 26
/* A race whose other input goes on: the first of two inputs, against the other, against who cancels it. */
#define NODES 9
inline setup() {
    makePromise(1, 1, 7);
    makePromise(2, 1, 8);
    make(3, RACE, 2);
    make(6, OBSERVER, 1);
    enrolled(6, 3);
    n[3].keepsGoing = 1;
    n[2].listens = 1;
    hadHandler = 1;
    running = 3;
    if
    :: isInput(4, 3, 1);
        isInput(5, 3, 2);
        if
        :: start2(cancel, 3, release, 3)
        :: start1(release, 3)
        fi
    :: /* It begins while the first input settles. */
        n[3].remaining = 3;
        n[4].kind = INPUT; n[4].to = 3;
        n[5].kind = INPUT; n[5].to = 3;
        n[1].rc = 2;
        n[2].rc = 2;
        run thread(addInput, 4, 1, addInput, 5, 2, handOver, 3, 0, releaseRange, 1, 3)
    fi;
    start2(resolve, 1, release, 1);
    if
    :: start1(release, 2)
    :: start2(resolve, 2, release, 2)
    :: start2(cancel, 2, release, 2)
    :: start2(whenQuiet, 0, release, 2)
    :: /* The other has a branch, which gives up last. */
        hasBranch = 1;
        make(9, MAP, 2);
        enrolled(9, 2);
        start4(whenQuiet, 0, cancel, 9, release, 9, release, 2)
    fi
}
/* The producer of the other is told of a cancellation only, and the race leaves nothing in the other's list. */
inline quiet() {
    assert(n[2].heard == (n[3].result == CANCELLED && !hasBranch -> 1 : 0));
    assert(n[2].head == (hasBranch -> 9 : 0) && n[9].next == 0)
}
inline expected() {
    assert(!hasBranch || n[2].heard == (n[3].result == CANCELLED -> 1 : 0))
}

#elif SCENARIO == 27
/* An observation is cancelled while its promise settles, or is released. */
#define NODES 4
inline setup() {
    makePromise(1, 1, 2);
    make(3, OBSERVATION, 2);
    enrolled(3, 1);
    make(4, THING, 1);
    n[3].closure = 4;
    running = 2;
    start2(cancel, 3, release, 3);
    if
    :: start1(release, 1)
    :: start2(resolve, 1, release, 1)
    fi
}
inline quiet() { skip }
inline expected() { skip }
#endif

#ifndef QUEUE
#define QUEUE 1
#endif
#ifndef FRAMES
#define FRAMES 3
#endif

/*
 * The protocol of Sources/Futures/Core and of the combinators that touch its words: settle, enroll,
 * cancel, forward, deliver, release, timers, traversals.
 *
 * A thread is a stack machine, since Promela has no calls: what the Swift code calls is pushed, and
 * what it does after the call is pushed beneath. Each `atomic` is one access to memory that threads
 * share, or a stretch that its thread has to itself because it holds a lock or a taken list; that it
 * has is asserted. README.md says why that suffices, and which word stands for which.
 *
 *   spin -DSCENARIO=n [-DFAULT_...] -a protocol.pml
 */

/* FutureNode.swift. The pointer bits are `head`. */
#define PENDING   0
#define LOCKED    1
#define VALUE     4
#define FAILURE   5
#define DETACHING 6

/* What the result is. */
#define NONE      0
#define SUCCESS   1
#define FAILED    2
#define CANCELLED 3

/* What the object is. HEIR is the failed future of a promise's deinit. THING is what a closure owns, and
   no more. TIMER is an entry of a scheduler; it is never freed, since it is counted like any object. */
#define UNUSED   0
#define PROMISE  1
#define MAP      2
#define FLAT     3
#define OBSERVER 4
#define TASK     5
#define INPUT    6
#define RACE     7
#define HEIR     8
#define TIMED    9
#define ALL      10
#define DELAYED  11
#define TRAVERSAL 12
#define RESOLVER 13
#define TIMER    14
#define WORK     15
#define THING    16
#define OBSERVATION 17

/* The life of an object. */
#define NOWHERE 0
#define ALIVE   1
#define DEINIT  2
#define FREED   3

#define isFuture(k) ((k) == PROMISE || (k) == MAP || (k) == FLAT || (k) == RACE || (k) == HEIR \
    || (k) == TIMED || (k) == ALL || (k) == DELAYED || (k) == TRAVERSAL)
#define isRoot(k)   ((k) == PROMISE || (k) == HEIR)
#define isSettled(f) ((f) >= 4)
#define isPending(f) ((f) <= LOCKED)

#define bitOf(x) (1 << (x))
#define has(set, x) ((set & bitOf(x)) != 0)

/* What a thread does: the operations of the API first, then the steps that these consist of. */
mtype = {
    nothing,
    resolve, cancel, fail, release, observe, turnLoop, endTurn, endFresh, await, cancelTask, onCancel, flatMapSettled,
    addInput, handOver, releaseRange, pump, keep, fire, dropTimer, resolveAndObserve, whenQuiet,
#ifdef FAULT_RELEASE_ON_THE_WAY
    stepEnd,
#endif
#ifdef FAULT_NEXT_READ_LATE
    nextLate,
#endif
    distribute, deliverNext, hand, runOne, afterRun, leaveDelivery, endCall, endDeinit,
    receive, failDerived, finishDerived, adopt, walkUp, forward, enrollShared, enrollExpected,
    step, detachInputs, finish, runCancellation, dropClosure, call, dropHandlers, giveUpInterest,
    abandon, redirect, free,
    spliceOut, spliceOutUpstream, inputSettled, ignore, countDownAndRelease, conclude, dropInputs,
    takeTimer, cancelTimer, timeOver, pumpTurn, complete, releaseWork
};

#include "scenarios.pml"

typedef Node {
    byte kind;
    byte life;
    byte rc;              /* strong references */

    byte flags;           /* word, without the pointer */
    byte head;            /* word, the pointer */
    byte next;
    byte previous;
    byte upstream;
    bit isEnrolled;
    bit isForwarding;
    bit wasGivenUp;
    bit lasts;            /* hasLastingInterest */
    bit listens;          /* the attachment is `handlers` */
    byte result;          /* storage, failure */

    byte closure;         /* what the closure owns: of a FLAT, the future that it returns */
    byte owner;           /* of an INPUT, its aggregate; of a TIMED or DELAYED, the TIMER that it will set */
    byte source;          /* of an INPUT, once delivered; of a FLAT that looks for a cycle, what it adopts */
    short inputs;         /* of an aggregate: a set */
    bit keepsGoing;       /* of an aggregate: what it does not need goes on */
    short kept;           /* its inputs that go on, until they are claimed: a set */
    byte remaining;       /* of an aggregate, which owns a reference to itself until it is 0 */
    byte heir;            /* of a PROMISE */
    byte timer;           /* of a TIMED or DELAYED: the TIMER to take back */
    bit isSet;            /* of a TIMER: the scheduler has its action */
    bit isSuspended;      /* of a TASK: it has a continuation */
    mtype does;           /* what the closure of an OBSERVER does, or a cancel handler of a PROMISE, */
    byte to;              /* and to whom; the closure owns a reference of that. Of a RESOLVER: its future */
    byte with;

    /* What is only counted, never read by the protocol. */
    byte calls;           /* how often an observer was called or a task was resumed */
    byte heard;           /* how often the producer heard of a cancellation */
    byte place;           /* of an OBSERVER: it is called after those with a lower place; 0: at any time */
    bit left;             /* somebody has given up an interest in it, and found it pending */
    bit started;          /* the transform was called and has returned its future */
    byte turns;           /* of a locked or detaching word: turns of loops that its holder has taken */
}

Node n[NODES + 1];        /* 0 is nil */
byte running = 0;
byte maximumDepth = 9;    /* Settling.swift; 9 is never reached */
mtype turnDoes = resolve; /* what a turn of an event loop calls */
byte lastPlace = 0;
short losers = 0;         /* who must have heard when `loserObserver` is called */
byte loserObserver = 0;

/* The state of the one TRAVERSAL of a scenario, under a mutex: Traversal.State. */
byte work = 0;            /* the WORK that it holds */
bit isOver = 0;
bit isPumping = 0;
bit isReading = 0;        /* a thread reads the next item; counted only */
byte pending = 0;
byte nextItem = 0;        /* the items are promises, each owned once by the work */
byte lastItem = 0;
byte room = 0;
byte inputOf = 0;         /* the input of item i is i + inputOf */

/* An access to a node's memory. */
#define TOUCH(x) assert((x) != 0 && n[x].life != FREED && n[x].life != NOWHERE)

/* `storage` of a settled future: its one deliverer may still write what it will take back, unless the
   future has settled with that value. */
#define readStorage(x) TOUCH(x); assert(n[x].flags == VALUE && n[x].result == SUCCESS)

/* Busy waits are blocking guards, so that a wait without end is a deadlock. A node that is freed
   while somebody waits at it ends the wait, so that TOUCH complains. */
#define untilUnlocked(x) (n[x].flags != LOCKED || n[x].life == FREED)
#define untilDetached(x) (n[x].flags != DETACHING || n[x].life == FREED)

#define PUSH(o, x, y) \
    sop[sp] = o; sx[sp] = x; sy[sp] = y; sp = sp + 1; assert(sp < STACK)

#include "words.pml"
#include "settle.pml"
#include "delivery.pml"
#include "enroll.pml"
#include "aggregate.pml"
#include "cancel.pml"
#include "release.pml"
#include "forward.pml"
#include "timer.pml"
#include "traverse.pml"

/*
 * One thread: up to four operations, each with two operands, then the end.
 */
proctype thread(mtype op0; byte x0; byte y0; mtype op1; byte x1; byte y1;
    mtype op2; byte x2; byte y2; mtype op3; byte x3; byte y3)
{
    mtype sop[STACK];
    byte sx[STACK];
    byte sy[STACK];
    byte sp = 0;
    mtype o = nothing;
    byte x = 0;                 /* operands of the current operation */
    byte y = 0;

    byte list = 0;              /* scratch; zero between operations */
    byte turned = 0;
    byte other = 0;
    byte up = 0;
    bit ok = 0;
    bit done = 0;
    bit alone = 0;
    bit wasEnrolled = 0;
    bit wasLast = 0;
    byte i = 0;
    byte k = 0;
    short set = 0;

    /* struct Cancellation, from the first step to `finish`. Sets of nodes. */
    short detached = 0;         /* with the list's reference */
    short retained = 0;
    short calling = 0;          /* whose handlers are to be called */
    short timers = 0;
    short aggregates = 0;
    short givenUp = 0;          /* inputs of `aggregates` that have not had their turn */

    /* struct cfutures_thread_state. */
    byte depth = 0;
    byte lates = 0;             /* what was put off: nodes, handlers to release, the rest of a cancellation */
    mtype lateKind[QUEUE];
    byte late[QUEUE];
    short lateDetached[QUEUE];
    short lateRetained[QUEUE];
    short lateCalling[QUEUE];
    short lateTimers[QUEUE];
    byte frames = 0;            /* struct cfutures_delivery, the outermost first */
    byte frameFuture[FRAMES];
    byte frameFirst[FRAMES];
    byte frameLast[FRAMES];

    /* What is only counted. */
    short held = 0;             /* the nodes whose word this thread has locked, or keeps `detaching` */
    byte calls = 0;             /* of users' code, nested on the stack */
    byte loopCalls = 0;         /* how many `calls` there were when the innermost of them began a turn of an event
                                   loop: cfutures_stack_of_event_loop finds a loop while there are as many */
    byte deinits = 0;

    atomic {
        i = 0;
        do
        :: i < STACK -> sop[i] = nothing; i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < QUEUE -> lateKind[i] = nothing; i++
        :: else -> break
        od;
        i = 0;
        PUSH(op3, x3, y3);
        PUSH(op2, x2, y2);
        PUSH(op1, x1, y1);
        PUSH(op0, x0, y0);
        op0 = nothing; op1 = nothing; op2 = nothing; op3 = nothing;
        x0 = 0; x1 = 0; x2 = 0; x3 = 0; y0 = 0; y1 = 0; y2 = 0; y3 = 0
    }

next:
    atomic {
        /* Nothing is left over from the last operation. */
        list = 0; other = 0; turned = 0; up = 0; ok = 0; done = 0; alone = 0; wasEnrolled = 0;
        wasLast = 0; i = 0; k = 0; set = 0; x = 0; y = 0; o = nothing;
        if
        :: sp == 0 -> goto finished
        :: else
        fi;
        sp = sp - 1;
        o = sop[sp]; x = sx[sp]; y = sy[sp];
        sop[sp] = nothing; sx[sp] = 0; sy[sp] = 0
    }
    if
    :: o == nothing -> skip
    :: o == resolve -> doResolve()
    :: o == fail -> doFail()
    :: o == failDerived -> doFailDerived()
    :: o == distribute -> doDistribute()
    :: o == deliverNext -> doDeliverNext()
#ifdef FAULT_NEXT_READ_LATE
    :: o == nextLate -> doNextLate()
#endif
    :: o == hand -> doHand()
    :: o == leaveDelivery -> doLeaveDelivery()
    :: o == turnLoop -> doTurnLoop()
    :: o == endTurn -> doEndTurn()
    :: o == endFresh -> doEndFresh()
    :: o == runOne -> doRunOne()
    :: o == afterRun -> doAfterRun()
    :: o == endCall -> atomic { calls = calls - 1 }
    :: o == endDeinit -> atomic { deinits = deinits - 1 }
    :: o == receive -> doReceive()
    :: o == finishDerived -> doFinishDerived()
    :: o == observe -> doObserve()
    :: o == await -> doAwait()
    :: o == enrollShared -> doEnrollShared()
    :: o == enrollExpected -> doEnrollExpected()
    :: o == adopt -> doAdopt()
    :: o == walkUp -> doWalkUp()
    :: o == forward -> doForward()
    :: o == cancel -> doCancel()
    :: o == cancelTask -> doCancelTask()
    :: o == step -> doStep()
#ifdef FAULT_RELEASE_ON_THE_WAY
    :: o == stepEnd -> doStepEnd()
#endif
    :: o == detachInputs -> doDetachInputs()
    :: o == finish -> doFinish()
    :: o == runCancellation -> doRunCancellation()
    :: o == dropClosure -> doDropClosure()
    :: o == call -> doCall()
    :: o == dropHandlers -> doDropHandlers()
    :: o == giveUpInterest -> doGiveUpInterest()
    :: o == onCancel -> doOnCancel()
    :: o == release -> doRelease()
    :: o == releaseRange -> doReleaseRange()
    :: o == abandon -> doAbandon()
    :: o == redirect -> doRedirect()
    :: o == free -> doFree()
    :: o == spliceOut -> doSpliceOut()
    :: o == spliceOutUpstream -> doSpliceOutUpstream()
    :: o == flatMapSettled -> doFlatMapSettled()
    :: o == inputSettled -> doInputSettled()
    :: o == ignore -> doIgnore()
    :: o == countDownAndRelease -> doCountDownAndRelease()
    :: o == conclude -> doConclude()
    :: o == dropInputs -> doDropInputs()
    :: o == addInput -> doAddInput()
    :: o == handOver -> doHandOver()
    :: o == resolveAndObserve -> atomic { PUSH(observe, x, y); PUSH(resolve, y, 0) }
    :: o == keep -> doKeep()
    :: o == fire -> doFire()
    :: o == dropTimer -> doDropTimer()
    :: o == cancelTimer -> doCancelTimer()
    :: o == takeTimer -> doTakeTimer()
    :: o == timeOver -> doTimeOver()
    :: o == pump -> doPump()
    :: o == pumpTurn -> doPumpTurn()
    :: o == complete -> doComplete()
    :: o == releaseWork -> doReleaseWork()
    :: o == whenQuiet -> atomic { (running == 1); quiet() }
    fi;
    goto next;

finished:
    atomic {
        assert(held == 0 && depth == 0 && lates == 0 && frames == 0 && calls == 0 && deinits == 0);
        assert(loopCalls == 0);
        running = running - 1
    }
}

init {
    atomic { setup() }
    (running == 0);
    d_step {
        byte k = 1;
        do
        :: k <= NODES ->
            /* Nothing is leaked. */
            assert(n[k].life == FREED || n[k].life == NOWHERE);
            /* Each observer that was enrolled is called once, each task resumed once. */
            assert(n[k].kind != OBSERVER || n[k].calls == (n[k].upstream != 0 -> 1 : 0));
            assert(n[k].kind != OBSERVATION || n[k].calls <= 1);
            assert(n[k].kind != TASK || n[k].calls == 1);
            /* A producer is notified once, and only of a cancellation. */
            assert(n[k].heard <= 1);
            assert(n[k].heard == 0 || n[k].result == CANCELLED);
            /* Every timer has fired or was taken back. */
            assert(!n[k].isSet);
            k++
        :: else -> break
        od;
        expected()
    }
}

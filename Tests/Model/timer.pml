/* A scheduler has an action, which owns the future x; `t` is its token. An atomic step is what the scheduler
   does under its own lock. */
inline setTimer(x, t) {
    assert(!n[t].isSet && !n[t].started);
    n[t].isSet = 1;
    n[t].started = 1;
    addReference(x)
}

/* What the action of t owns goes. */
inline pushActionReleases(t) {
    PUSH(release, n[t].owner, 0);
    if
    :: n[n[t].owner].kind == DELAYED -> PUSH(release, n[t].to, 0)
    :: else
    fi
}

/* timed(_:_:on:) after the enrolling: sets the timer of the future x, and keeps it. */
inline doKeep() {
    atomic { setTimer(x, n[x].owner) }
    keepTimer(x)
}

/* TimerFuture.keep(_:) */
inline keepTimer(x) {
#ifdef FAULT_KEEP_WITHOUT_CHECK
    atomic { TOUCH(x); n[x].timer = n[x].owner }
#else
    lockIfPending(x);
    if
    :: ok -> atomic { n[x].timer = n[x].owner; unlockTo(x, PENDING) }
    :: else -> PUSH(cancelTimer, n[x].owner, 0)
    fi
#endif
}

/* DelayedFuture.hold(_:) */
inline doHold() {
    atomic {
        TOUCH(x);
        TOUCH(y);
        done = (n[x].closure != 0);
        if
        :: done -> PUSH(release, n[x].closure, 0); n[x].closure = 0
        :: else
        fi
    }
    if
    :: n[y].result != SUCCESS -> PUSH(failDerived, x, n[y].result)
    :: n[y].result == SUCCESS && done ->
        lockIfPending(x);
        if
        :: ok ->
            atomic {
#ifndef FAULT_DELAY_KEEPS_UPSTREAM
                n[x].upstream = 0;
#endif
                unlockTo(x, PENDING)
            }
            atomic { readStorage(y) }
            atomic {
                /* The action owns a resolver of the future, too. */
                i = n[n[x].owner].to;
                assert(n[i].life == NOWHERE);
                n[i].life = ALIVE;
                n[i].rc = 1;
                n[i].to = x;
                addReference(x);
                setTimer(x, n[x].owner)
            }
            keepTimer(x)
        :: else -> waitUntilDetached(x)
        fi
    :: n[y].result == SUCCESS && !done -> waitUntilDetached(x)
    fi
}

/* The scheduler runs the action of the token x, once it has it; or, the future having settled before, does
   nothing. */
inline doFire() {
    atomic {
        (n[x].started || isSettled(n[n[x].owner].flags));
        ok = n[x].isSet;
        n[x].isSet = 0;
        if
        :: ok ->
            pushActionReleases(x);
            if
            :: n[n[x].owner].kind == DELAYED -> PUSH(resolve, n[x].owner, 1)
            :: else -> PUSH(timeOver, n[x].owner, 0)
            fi
        :: else
        fi
    }
}

/* The scheduler goes, and drops the action. */
inline doDropTimer() {
    atomic { (n[x].started || isSettled(n[n[x].owner].flags)) }
    PUSH(cancelTimer, x, 0)
}

/* ScheduledAction.cancel() of the token x, or of none. */
inline doCancelTimer() {
    atomic {
        ok = n[x].isSet;
        n[x].isSet = 0;
        if
        :: ok -> pushActionReleases(x)
        :: else
        fi
    }
}

/* The end of a delay's action, if it was what has settled the future x. */
inline doTakeTimer() {
    atomic {
        TOUCH(x);
        assert(isSettled(n[x].flags));
        PUSH(cancelTimer, n[x].timer, 0);
        n[x].timer = 0
    }
}

/* TimedFuture.timeIsOver() */
inline doTimeOver() {
    PUSH(cancel, x, FAILED)
}

/* Traversal.pump(). Each atomic step on `isOver`, `isPumping`, `pending`, `work` and `inputs` is one of its
   critical sections. */
inline doPump() {
    atomic {
#ifdef FAULT_PUMPS_TWICE
        ok = 1;
#else
        ok = !isPumping;
#endif
        isPumping = 1
    }
    if
    :: ok -> atomic { PUSH(pumpTurn, x, 0) }
    :: else
    fi
}

/* One turn of its loop: `i` is the work, with a reference; `other` the item, `up` its input. */
inline doPumpTurn() {
    atomic {
        if
        :: work != 0 && pending < room -> i = work; addReference(i); ok = 1
        :: else -> isPumping = 0; ok = 0
        fi
    }
    if
    :: !ok -> atomic { PUSH(complete, x, 0) }
    :: else ->
        atomic {
            PUSH(pumpTurn, x, 0);
            PUSH(release, i, 0);
            assert(!isReading && nextItem <= lastItem);
            isReading = 1
        }
        atomic {
            other = nextItem;
            nextItem = nextItem + 1;
            isReading = 0;
            /* The input is made, and is this thread's for now. */
            up = other + inputOf;
            n[up].life = ALIVE;
            n[up].rc = 1;
            n[up].owner = x;
            addReference(x);
            PUSH(releaseWork, i, 0);
            PUSH(release, other, 0);
            PUSH(release, up, 0)
        }
        /* begin(_:) */
        atomic {
#ifdef FAULT_BEGINS_UNWANTED
            ok = 1;
#else
            ok = !isOver;
#endif
            if
            :: ok ->
                n[x].inputs = n[x].inputs | bitOf(up);
                addReference(up);
                pending = pending + 1
            :: else
            fi
        }
        if
        :: ok -> atomic { PUSH(enrollShared, up, other) }
        :: else -> atomic { PUSH(giveUpInterest, other, 0) }
        fi
    fi
}

/* The work is let go of when nothing is left to start. */
inline doReleaseWork() {
    atomic {
        if
        :: nextItem > lastItem && work != 0 -> PUSH(release, work, 0); work = 0
        :: else
        fi
    }
}

/* Traversal.complete() */
inline doComplete() {
    atomic {
        ok = !isOver && work == 0 && pending == 0;
        if
        :: ok -> isOver = 1; set = n[x].inputs; n[x].inputs = 0
        :: else
        fi
    }
    if
    :: ok ->
        /* What is read has settled for good. */
        atomic {
            i = 1;
            do
            :: i <= NODES ->
                if
                :: has(set, i) ->
                    turn(); TOUCH(i); readStorage(n[i].source); PUSH(release, i, 0)
                :: else
                fi;
                i++
            :: else -> break
            od
        }
        exchangeToValue(x);
        if
        :: ok -> atomic { pushList(x) }
        :: else -> waitUntilDetached(x)
        fi
    :: else
    fi
}

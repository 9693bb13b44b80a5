------------------------------- MODULE Anchor --------------------------------
(* Somebody writes to the database by hand: the log is emptied, or its        *)
(* counter is set back, and numbers are drawn a second time. A turn therefore *)
(* keeps what it knows of the log: the newest row that was read (its anchor,  *)
(* number and message), the counter, and how far the log was cleaned. What it *)
(* shows: whatever is enqueued after that is delivered, or the next thorough  *)
(* look stops the lane; and a database that forgets, as in a failover, stops  *)
(* nothing.                                                                   *)
(*                                                                            *)
(* One owner; a look and its turn are two steps, and anything may happen in   *)
(* between. Numbers commit as they are drawn: Lane.tla is about late ones.    *)
EXTENDS Naturals, FiniteSets

CONSTANTS Numbers,    \* how many numbers there are
          Messages,   \* how many messages may be enqueued
          Rollbacks,  \* how many numbers may be rolled back
          Tampers,    \* how many times somebody writes by hand
          Failovers,  \* how many times the database may forget
          Mistake     \* "none", or one of those at the bottom

VARIABLES rows,      \* number -> the message that has it, 0 if there is none
          counter,   \* the last number that was drawn
          turn,      \* the last turn of the store, see Init
          mem,       \* what a look has seen, until its turn
          known,     \* only for a mistake: the last turn that the owner remembers
          got,       \* messages that were delivered
          cleaned,   \* messages that the cleaner has deleted
          next,      \* the next message
          before,    \* messages up to this one were enqueued before somebody wrote by hand: nothing is promised of them
          tampered,  \* somebody has, and no rewind was asked for since
          saved,     \* what a standby has
          left       \* what is still to come
vars == <<rows, counter, turn, mem, known, got, cleaned, next, before, tampered, saved, left>>

All == 1..Numbers
Max(set) == CHOOSE m \in set : \A other \in set : other <= m
Min(set) == CHOOSE m \in set : \A other \in set : other >= m
Present == {n \in All : rows[n] # 0}
Idle == [on |-> FALSE, reads |-> {}, mark |-> 0, cleans |-> FALSE]
Database == [rows |-> rows, counter |-> counter, turn |-> turn]

Init ==
  /\ rows = [n \in All |-> 0] /\ counter = 0
  /\ turn = [reached |-> 0, anchor |-> 0, message |-> 0, counter |-> 0, cleaned |-> 0, stopped |-> FALSE]
  /\ mem = Idle /\ known = turn /\ got = {} /\ cleaned = {} /\ next = 1 /\ before = 0 /\ tampered = FALSE
  /\ saved = Database /\ left = [rollback |-> Rollbacks, tamper |-> Tampers, failover |-> Failovers]

-----------------------------------------------------------------------------
(* PRODUCERS. A number that is still there is refused, and used up. Nothing   *)
(* is rolled back any more after somebody has written by hand: see SetBack.   *)
Enqueue ==
  /\ counter < Numbers /\ next <= Messages /\ counter' = counter + 1
  /\ IF rows[counter + 1] = 0 THEN rows' = [rows EXCEPT ![counter + 1] = next] /\ next' = next + 1
                              ELSE UNCHANGED <<rows, next>>
  /\ UNCHANGED <<turn, mem, known, got, cleaned, before, tampered, saved, left>>
RollBack ==
  /\ left.rollback > 0 /\ left' = [left EXCEPT !.rollback = @ - 1]
  /\ ~tampered /\ counter < Numbers /\ counter' = counter + 1
  /\ UNCHANGED <<rows, turn, mem, known, got, cleaned, next, before, tampered, saved>>

(* BY HAND. Without an anchor, which a rewind takes away until something was  *)
(* read, nobody could notice. Where numbers above what was cleaned have been  *)
(* rolled back, a counter that is set back no further than there and has      *)
(* grown again is not noticed either: a limit of the rule.                    *)
Tamper == /\ left.tamper > 0 /\ left' = [left EXCEPT !.tamper = @ - 1]
          /\ turn.anchor > 0 /\ ~turn.stopped /\ tampered' = TRUE /\ before' = next - 1
          /\ UNCHANGED <<turn, mem, known, got, cleaned, next, saved>>
HasGap == \E n \in (turn.cleaned + 1)..counter : rows[n] = 0
SetBack(to) == /\ Tamper /\ to < counter /\ (HasGap => to < turn.cleaned)
               /\ counter' = to /\ UNCHANGED rows
Empty(restarts) == /\ Tamper /\ rows' = [n \in All |-> 0]
                   /\ counter' = IF restarts THEN 0 ELSE counter

(* A failover: the database is again what its standby has, and connections    *)
(* break. Log and turns are of one moment.                                    *)
Save == /\ left.failover > 0 /\ ~tampered /\ saved # Database /\ saved' = Database
        /\ UNCHANGED <<rows, counter, turn, mem, known, got, cleaned, next, before, tampered, left>>
Failover ==
  /\ left.failover > 0 /\ left' = [left EXCEPT !.failover = @ - 1] /\ ~tampered
  /\ rows' = saved.rows /\ counter' = saved.counter /\ turn' = saved.turn /\ mem' = Idle
  /\ UNCHANGED <<known, got, cleaned, next, before, tampered, saved>>

-----------------------------------------------------------------------------
(* THE LOOK compares the log with the store's last turn, in one snapshot. An  *)
(* owner that remembers another one is fenced first. Only a thorough look     *)
(* asks for rows where the log was cleaned.                                   *)
IsAnchored(last) == Mistake = "noAnchor" \/ last.anchor = 0 \/ rows[last.anchor] = last.message
IsDrawnAgain(last) == Mistake # "noCleaned" /\ \E n \in Present : n <= last.cleaned
IsTrouble(last, thorough) ==
  counter < Max({last.counter, last.reached}) \/ ~IsAnchored(last) \/ (thorough /\ IsDrawnAgain(last))
Look(thorough) ==
  LET last == IF Mistake = "comparesMemory" THEN known ELSE turn
      reads == {n \in Present : n > turn.reached}
      newest == Max(reads \cup {turn.anchor})
      mark == [reached |-> counter, anchor |-> newest, message |-> IF newest = 0 THEN 0 ELSE rows[newest],
               counter |-> counter, cleaned |-> turn.cleaned, stopped |-> FALSE]
  IN /\ ~mem.on /\ ~turn.stopped
     /\ IF IsTrouble(last, thorough)
        THEN turn' = [turn EXCEPT !.stopped = TRUE] /\ known' = turn' /\ UNCHANGED mem
        ELSE /\ mem' = [on |-> TRUE, reads |-> {rows[n] : n \in reads}, mark |-> mark, cleans |-> thorough]
             /\ UNCHANGED <<turn, known>>
     /\ UNCHANGED <<rows, counter, got, cleaned, next, before, tampered, saved, left>>

(* THE TURN, and what is read is delivered. A step of the cleaner is part of  *)
(* it: below the anchor, after a look that was thorough, and only if the log  *)
(* is still as the look saw it.                                               *)
IsAsSeen(mark) == Mistake = "trustsTheLook" \/ ~IsTrouble(mark, TRUE)
Commit(to) ==
  LET mark == mem.mark
      cleans == mem.cleans /\ to > mark.cleaned /\ to < mark.anchor /\ IsAnchored(mark) /\ IsAsSeen(mark)
      leaving == IF cleans THEN {n \in Present : n > mark.cleaned /\ n <= to} ELSE {}
  IN /\ mem.on /\ (to > 0 => cleans)
     /\ turn' = IF cleans THEN [mark EXCEPT !.cleaned = to] ELSE mark
     /\ known' = turn' /\ mem' = Idle
     /\ rows' = [n \in All |-> IF n \in leaving THEN 0 ELSE rows[n]]
     /\ cleaned' = cleaned \cup {rows[n] : n \in leaving}
     /\ got' = got \cup mem.reads
     /\ UNCHANGED <<counter, next, before, tampered, saved, left>>

(* The operator sets the counter right and asks for a rewind: to before the   *)
(* first row that is there. The next anchor comes with what is read.          *)
Rewind ==
  LET highest == Max(Present \cup {counter}) IN
  /\ turn.stopped /\ tampered' = FALSE /\ counter' = highest
  /\ turn' = [reached |-> IF Mistake = "rewindToCounter" \/ Present = {} THEN highest ELSE Min(Present) - 1,
              anchor |-> 0, message |-> 0, counter |-> highest, cleaned |-> 0, stopped |-> FALSE]
  /\ known' = turn' /\ mem' = Idle
  /\ UNCHANGED <<rows, got, cleaned, next, before, saved, left>>

Next == \/ Enqueue \/ RollBack \/ Save \/ Failover \/ Rewind
        \/ \E yes \in BOOLEAN : Empty(yes) \/ Look(yes)
        \/ \E n \in 0..Numbers : SetBack(n) \/ Commit(n)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* WHAT MUST HOLD                                                             *)
Promised == {m \in 1..(next - 1) : m > before}
Passed == {rows[n] : n \in {m \in Present : m <= turn.reached}}
NoSilentLoss == (Passed \cap Promised) \subseteq got \/ turn.stopped \/ IsTrouble(turn, TRUE)
CleanedWasDelivered == (cleaned \cap Promised) \subseteq got
NoFalseAlarm == turn.stopped => tampered
-----------------------------------------------------------------------------
(* MISTAKES                                                                   *)
(* noAnchor         the newest row that was read is not compared              *)
(* noCleaned        rows where the log was cleaned are not looked for         *)
(* trustsTheLook    the cleaner takes what the look before it has seen for    *)
(*                  what is there                                             *)
(* comparesMemory   the log is compared with what the owner remembers         *)
(* rewindToCounter  a rewind goes to the counter                              *)
=============================================================================

------------------------------ MODULE Suspects ------------------------------
(* Messages that kill the process that sends them, and requests of operators.*)
(* What it shows: a killer ends dead after a bounded number of deaths, no    *)
(* innocent message ends dead because of it, everything else is delivered;   *)
(* and each request is carried out once, whenever owners die.                *)
(*                                                                           *)
(* One owner at a time, and a turn is one step: Lane.tla shows why that may  *)
(* be assumed. Numbers and positions are left out: a delivery has a state.   *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS Messages,   \* how many there are
          Killers,    \* those whose send kills the owner
          DeathsMax,  \* a delivery at which so many owners have died is dead
          Crashes,    \* deaths that are no message's fault
          Stops,      \* how many times an owner stops gracefully
          Requests,   \* how many requests operators make
          Kinds,      \* of these: pause, resume, replay, quarantine
          Mistake     \* "none", or one of those at the bottom

VARIABLES db,     \* what turns have written, see Init
          alive,  \* is there an owner?
          fly,    \* its memory: message -> "-", "go" (on its way), "ok" (arrived)
          late,   \* its memory, only for a mistake: requests that it has still to answer
          kills,  \* how many owners were killed by a message
          done,   \* request -> how often it was carried out
          left    \* what is still to come
vars == <<db, alive, fly, late, kills, done, left>>

Numbers == 1..Messages
Resting == [n \in Numbers |-> "-"]
AloneFrom == 2   \* so many deaths make it go one at a time
SoloFrom == 3    \* so many: with nothing beside it, not even new messages

Init ==
  /\ db = [state    |-> [n \in Numbers |-> "new"],  \* new, way, done, dead, waiting (replayed), quarantined
           deaths   |-> [n \in Numbers |-> 0],      \* owners that died while it was on its way
           alone    |-> {},                         \* the suspect that is being sent by itself
           stopped  |-> TRUE,                       \* the last turn gave the lane up
           paused   |-> FALSE,
           requests |-> <<>>]                       \* [kind, of, answer]; answer "-" while it is open
  /\ alive = FALSE /\ fly = Resting /\ late = {} /\ kills = 0 /\ done = [r \in 1..Requests |-> 0]
  /\ left = [crash |-> Crashes, stop |-> Stops]

-----------------------------------------------------------------------------
(* TAKING. What the dead owner may have been sending gets one death more:    *)
(* all that went together, and of those that go one at a time the one that   *)
(* the position names. After a graceful stop nobody is to blame.             *)
Way == {n \in Numbers : db.state[n] = "way"}
Suspected == IF db.stopped /\ Mistake # "stopCounts" THEN {}
             ELSE {n \in Way : db.deaths[n] < AloneFrom} \cup (IF Mistake = "notCounted" THEN {} ELSE Way \cap db.alone)
Take ==
  LET deaths == [n \in Numbers |-> IF n \in Suspected THEN db.deaths[n] + 1 ELSE db.deaths[n]] IN
  /\ ~alive /\ alive' = TRUE /\ fly' = Resting /\ late' = {}
  /\ db' = [db EXCEPT !.deaths = deaths, !.alone = {}, !.stopped = FALSE,
              !.state = [n \in Numbers |-> IF n \in Suspected /\ deaths[n] >= DeathsMax THEN "dead" ELSE @[n]]]
  /\ UNCHANGED <<kills, done, left>>

-----------------------------------------------------------------------------
(* REQUESTS are a log. The owner carries out the oldest open one in a turn,  *)
(* and answers it in the same turn.                                          *)
Ask(kind, n) ==
  /\ Len(db.requests) < Requests
  /\ db' = [db EXCEPT !.requests = Append(@, [kind |-> kind, of |-> n, answer |-> "-"])]
  /\ UNCHANGED <<alive, fly, late, kills, done, left>>
Unanswered == {r \in 1..Len(db.requests) : db.requests[r].answer = "-"}
ToDo == Unanswered \ late
Oldest == CHOOSE r \in ToDo : \A other \in ToDo : r <= other
Possible(request) ==
  CASE request.kind = "replay" -> db.state[request.of] = "dead"
    [] request.kind = "quarantine" -> db.state[request.of] \in {"dead", "waiting"}
    [] OTHER -> TRUE
(* A replayed dead letter starts anew, as if nobody had died of it.          *)
Effect(data, request) ==
  CASE ~Possible(request) -> data
    [] request.kind = "pause" -> [data EXCEPT !.paused = TRUE]
    [] request.kind = "resume" -> [data EXCEPT !.paused = FALSE]
    [] request.kind = "replay" -> [data EXCEPT !.state[request.of] = "waiting", !.deaths[request.of] = 0]
    [] request.kind = "quarantine" -> [data EXCEPT !.state[request.of] = "quarantined"]
Answered(data, which, is) == [data EXCEPT !.requests = [r \in 1..Len(@) |->
  IF r \in which THEN [@[r] EXCEPT !.answer = is] ELSE @[r]]]
Carry ==
  LET request == db.requests[Oldest]
      effect == Effect(db, request)
      answer == IF Possible(request) THEN "done" ELSE "refused"
  IN /\ alive /\ ToDo # {}
     /\ done' = IF Possible(request) THEN [done EXCEPT ![Oldest] = @ + 1] ELSE done
     /\ IF Mistake = "requestTwice" /\ Possible(request)
        THEN db' = effect /\ late' = late \cup {Oldest}            \* it will be answered with another turn
        ELSE db' = Answered(effect, {Oldest}, answer) /\ UNCHANGED late
     /\ UNCHANGED <<alive, fly, kills, left>>
AnswerLate == /\ alive /\ late # {} /\ db' = Answered(db, late, "done") /\ late' = {}
              /\ UNCHANGED <<alive, fly, kills, done, left>>

-----------------------------------------------------------------------------
(* A TURN records what has arrived, and names what may be sent: new messages *)
(* and those repeated once go together; suspects go one at a time beside     *)
(* them; one at which an owner has died even so goes with nothing beside it. *)
IsSolo(n) == db.deaths[n] >= SoloFrom /\ Mistake \notin {"besideOthers", "allTogether"}
Unsent == {n \in Numbers : db.state[n] \in {"way", "waiting"} /\ fly[n] = "-"}
Repeats == {n \in Unsent : db.deaths[n] < AloneFrom}
Queue == Unsent \ Repeats
Flying == {n \in Numbers : fly[n] = "go"}
Oks == {n \in Numbers : fly[n] = "ok"}
Lonely == {n \in Flying : db.deaths[n] >= AloneFrom}      \* at most one, in a right protocol
MayStart(start, alone) ==
  /\ \A n \in Lonely : IsSolo(n) => start \cup alone = {}
  /\ alone # {} => Lonely = {}
  /\ Cardinality(alone) <= 1 \/ Mistake = "allTogether"
  /\ \A n \in alone : IsSolo(n) => start \cup Flying = {}
Turn(start, alone) ==
  /\ alive /\ start \cup alone \cup Oks # {} /\ MayStart(start, alone)
  /\ db.paused => start \cup alone = {}
  /\ fly' = [n \in Numbers |-> IF n \in start \cup alone THEN "go" ELSE IF n \in Oks THEN "-" ELSE fly[n]]
  /\ db' = [db EXCEPT
       !.state = [n \in Numbers |-> IF n \in Oks THEN "done" ELSE IF n \in start \cup alone THEN "way" ELSE @[n]],
       !.alone = IF Mistake = "markAfterSend" THEN Lonely ELSE Lonely \cup alone]
  /\ UNCHANGED <<alive, late, kills, done, left>>
Exchange == \E start \in SUBSET {n \in Numbers : db.state[n] = "new"}, repeat \in BOOLEAN, alone \in SUBSET Queue :
              Turn(start \cup (IF repeat THEN Repeats ELSE {}), alone)

(* CLEARING. A suspect that was alone for a second, and whose owner lives, is*)
(* slow and nothing else: a turn names it no longer and forgets its deaths,  *)
(* and others go beside it while it is still on its way. A killer kills      *)
(* within that second.                                                       *)
Clear(n) ==
  /\ alive /\ n \in Lonely \ Killers
  /\ db' = [db EXCEPT !.deaths[n] = 0, !.alone = {}]
  /\ UNCHANGED <<alive, fly, late, kills, done, left>>

(* SENDING kills the owner if the message is a killer.                       *)
Die == alive' = FALSE /\ fly' = Resting /\ late' = {}
Send(n) ==
  /\ alive /\ fly[n] = "go"
  /\ IF n \in Killers THEN Die /\ kills' = kills + 1
                      ELSE fly' = [fly EXCEPT ![n] = "ok"] /\ UNCHANGED <<alive, late, kills>>
  /\ UNCHANGED <<db, done, left>>
Crash == /\ alive /\ left.crash > 0 /\ left' = [left EXCEPT !.crash = @ - 1] /\ Die /\ UNCHANGED <<db, kills, done>>
Stop == /\ alive /\ left.stop > 0 /\ left' = [left EXCEPT !.stop = @ - 1] /\ Die
        /\ db' = [db EXCEPT !.stopped = TRUE, !.alone = Lonely,
                            !.state = [n \in Numbers |-> IF n \in Oks THEN "done" ELSE @[n]]]
        /\ UNCHANGED <<kills, done>>

Next == \/ Take \/ Exchange \/ Carry \/ AnswerLate \/ Crash \/ Stop
        \/ \E n \in Numbers : Send(n) \/ Clear(n) \/ \E kind \in Kinds : Ask(kind, n)
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ WF_vars(Take) /\ WF_vars(Carry) /\ WF_vars(Exchange) /\ \A n \in Numbers : WF_vars(Send(n))

-----------------------------------------------------------------------------
(* WHAT MUST HOLD                                                            *)
InnocentLive == \A n \in Numbers \ Killers : db.state[n] # "dead"
Replayed == Cardinality({r \in 1..Len(db.requests) : db.requests[r].kind = "replay" /\ done[r] > 0})
KillsBounded == kills <= (Cardinality(Killers) + Replayed) * DeathsMax
CarriedOnce == \A r \in 1..Len(db.requests) : LET answer == db.requests[r].answer IN
  done[r] <= 1 /\ (answer = "done" => done[r] = 1) /\ (answer = "refused" => done[r] = 0)
(* A pause is true for the next owner too, until somebody resumes.           *)
Switches == {r \in 1..Len(db.requests) : db.requests[r].kind \in {"pause", "resume"} /\ done[r] > 0}
PausedAsTold == db.paused = (\E r \in Switches : db.requests[r].kind = "pause" /\ \A s \in Switches : s <= r)
Ended(n) == IF n \in Killers THEN db.state[n] \in {"dead", "quarantined"} ELSE db.state[n] = "done"
AllEnds == <>[](\A n \in Numbers : db.paused \/ Ended(n))
AllAnswered == <>[](Unanswered = {})
-----------------------------------------------------------------------------
(* MISTAKES                                                                  *)
(* allTogether    suspects are sent in a batch again, and all are blamed     *)
(* notCounted     a death of the one that was alone is not counted           *)
(* markAfterSend  the one that goes alone is named by a turn after its send  *)
(* stopCounts     a graceful stop counts as a death                          *)
(* besideOthers   a suspect always goes beside new messages: each further    *)
(*                killer among them costs it two deaths                      *)
(* requestTwice   a request is answered in another turn than its effect      *)
=============================================================================

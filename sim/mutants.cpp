#include "sim/mutants.hpp"

#include <array>

#include "core/mutant.hpp"

namespace makegood::sim {
namespace {

std::string_view chosen;

constexpr auto bank = std::to_array<Mutant>({
    // Who may write.
    {"epoch_only", "a turn is guarded by its owner alone, not by the turn before it", "attack on the design"},
    {"no_fencing", "whoever writes, writes", "O3, 000-20"},
    {"in_doubt_is_done", "a commit that failed is taken for done", "D1, D4", true},
    {"look_survives", "what was looked up before the database failed is used after it", "model", true},
    {"stale_answers", "an answer to a former owner is taken for the new one's", "O3, model", true},
    {"copy_is_ours", "a copy of the database is owned in another environment", "attack 2 on the design"},
    {"send_after_lease", "sends go on when the lease is over", "O6, O7, 002-02"},
    // What is read.
    {"cursor_passes_open_numbers", "a number that is not there yet is passed", "O1"},
    {"timer_closes_numbers", "a number that is missing for a while is given up", "attack on the design"},
    {"two_snapshots", "open numbers and rows beyond are read in two statements", "attack on the design, O2"},
    {"late_keys_passed", "a row is read while late ones of its key are not", "I4, large imports"},
    {"open_numbers_not_stored", "open numbers are not part of the position", "O1"},
    {"under_way_not_stored", "what is under way is not part of the position", "000-02, 002-01"},
    {"hole_per_row", "a hole forgets which destination it is of", "model, 002-11"},
    {"restart_republishes", "a new owner starts from the beginning", "O24"},
    {"read_not_covered", "the position passes a row that is in hand", "000-05"},
    // Numbers that are drawn twice.
    {"anchor_not_stored", "the newest row that was read is not part of the turn", "attack on the outbox"},
    {"cleaned_not_stored", "how far the log was cleaned is not part of the turn", "attack on the outbox", false,
     "tampering"},
    {"rewind_leaves_parked", "after a rewind, deliveries of messages that are gone hold the keys of others",
     "attack on the outbox", false, "tampering,sour"},
    {"parked_by_number", "a parked delivery is of whatever message has its number now", "attack on the outbox", false,
     "tampering,sour,outages"},
    {"rewind_to_the_counter", "a rewind goes to the counter, and not to before the first row", "attack on the outbox"},
    // What is sent, and when.
    {"send_before_turn", "a delivery is sent before the turn that covers it is committed", "model, S1"},
    {"two_of_a_key", "a second one of a key goes while the first is in flight", "O12, 000-26"},
    {"head_does_not_block", "those behind a head that waits for its retry pass it", "O12, 003-06"},
    {"key_freed_early", "the next of a key goes before its head's end is committed", "model", true},
    {"forget_blocked_keys", "a new owner does not load the keys that are blocked", "attack on the design"},
    {"due_before_holes", "a new owner sends retries before it has read what was under way", "simulator", true},
    {"retry_is_lost", "a delivery that failed is forgotten", "003-01"},
    {"dead_is_lost", "a delivery that used up its attempts is forgotten", "002-01, 003-04"},
    {"tenants_are_mixed", "a route leads messages of one tenant to a destination of another", "audit"},
    {"delayed_is_lost", "a message for later is passed", "003-01"},
    {"attempt_not_counted", "an answered attempt does not count as one", "000-25"},
    {"set_back_is_ignored", "a retry waits for the time of a clock that was set back", "attack on the outbox"},
    {"parked_rows_not_in_the_turn", "the position is written and the parked rows are not", "000-29, D3"},
    // Operators.
    {"replay_of_the_living", "a delivery that is not dead can be replayed", "O23, 002-10"},
    {"request_answered_elsewhere", "a request is carried out and stays open", "000-30"},
    {"pause_is_ignored", "a paused destination gets messages", "issue of operators"},
    {"cancelled_is_read", "a message that was cancelled before it was read is sent", "attack 2"},
    {"cancelled_not_stored", "a new owner does not know what was cancelled", "attack 2"},
    // Destinations and routes in the store.
    {"answered_before_its_version", "a change is answered before its version is committed", "registry"},
    {"version_from_the_start", "a version counts from the first message on", "registry"},
    {"version_from_the_counter", "a version counts from what was enqueued, not from what was read", "registry"},
    {"registry_of_the_taking", "an owner knows the destinations of its taking only", "registry"},
    {"sent_by_an_open_version", "new settings are used before their version is committed", "registry"},
    {"removed_is_sent", "what was read for a destination is sent after it was removed", "registry"},
    {"removed_waits_on", "what waits for a removed destination waits for ever", "registry"},
    {"removed_stands_still", "a destination that is paused and then removed keeps its messages", "registry"},
    {"routes_never_were", "a registry that has lost its last route counts as one that never had any", "simulator",
     false, "registers,crashes"},
    {"unregistered_not_loaded", "an owner forgets who blocks a key of a removed destination", "registry"},
    // Circuits and suspects.
    {"unreachable_spends_attempts", "a destination that cannot be reached costs an attempt", "attack on the outbox"},
    {"timeout_always_spares", "a message that hangs while others are answered never dies", "attack on the outbox"},
    {"patience_ends_with_its_owner", "each owner waits for days anew before it disables a destination",
     "attack on the outbox", false, "outages,stops"},
    {"handed_over_after_lease", "what waited at a transport leaves after the lease", "attack on the outbox"},
    {"outage_spends_attempts", "what was sent into an outage pays for it with an attempt", "design 3.3"},
    {"probe_without_attempt", "a probe that fails is not counted", "attack on the design"},
    {"suspects_together", "what was under way at two deaths is sent in a batch again", "O14"},
    {"poison_is_repeated", "a message that kills its owner is sent for ever", "000-25, O13"},
    {"blame_all_suspects", "all suspects are blamed for a death, not the one that was alone", "O14"},
    {"second_killer_beside", "a suspect is judged while normal traffic goes beside it", "model", true},
    {"named_beside_others", "the one that nothing may go beside is blamed for a death before it was sent",
     "attack on the outbox", false, "poison,hangs"},
    {"suspect_is_waited_for", "others wait for a suspect that is alone for as long as it takes",
     "attack on the outbox"},
    {"survival_is_no_proof", "a suspect that was alone for a second without a death stays one", "attack on the outbox",
     false, "hangs,crashes"},
    // What destinations say.
    {"retry_after_ignored", "a destination that says when to come back is asked again at once", "O15, O16"},
    {"gone_is_dead", "a destination that is gone takes its messages along", "O15"},
    {"disabled_is_not_said", "a destination that is gone gets messages all the same", "O15"},
    {"failing_never_disables", "a destination that has answered nothing for days is asked for ever", "O15, audit"},
    {"success_does_not_reset", "a destination is disabled although it has answered meanwhile", "O15, audit"},
    {"disabling_is_not_told", "a destination is disabled without its event", "events"},
    {"deaths_are_not_told", "a dead letter is written without its event", "events"},
    // Under which number it goes.
    {"replay_has_no_number", "what is replayed goes under the number of its first delivery", "brokers", false,
     "requests,histories"},
    {"held_forgets_its_replay", "a replay that was held behind another goes under the number of its first delivery",
     "brokers", false, "histories,refusals"},
    {"repeat_is_first", "what a former owner may have sent is said to be sent for the first time", "brokers"},
    // Side lanes.
    {"side_forgets_flight", "a scope leaves, and what it has in flight is in nobody's position", "model"},
    {"merge_early", "a side lane merges before it has caught up", "model"},
    {"side_reads_beyond_main", "a side lane reads beyond the main lane", "model"},
    {"side_reads_open_numbers", "a side lane reads numbers that are open", "model"},
    {"late_row_not_handed_over", "a late row that a side lane has passed is not handed over", "model"},
    {"side_holes_not_stored", "what a side lane has under way is not part of the position", "model"},
    {"keys_per_lane", "each lane knows only its own keys in flight", "model"},
    {"flat_scopes", "the outermost scope carries a delivery, not the innermost", "model"},
    {"routes_of_today", "a row goes by the newest routes, not by those of its number", "model"},
    // The cleaner.
    {"cleaner_by_created_at", "rows are cleaned by when they were created", "attack on the design"},
    {"cleaner_ignores_holes", "rows are cleaned that are still under way", "O20"},
    {"anchor_is_cleaned", "the newest row that was read is cleaned with the others", "design 3.5"},
    {"cleaner_ignores_side_lanes", "rows are cleaned that a side lane has not read", "design 3.5"},
    // Sagas: what is known of an attempt.
    {"saga_last_decides", "the last attempt decides whether a step was done", "attack on the design, model"},
    {"saga_5xx_is_no", "a 500 counts as not done", "attack on the design, model"},
    {"saga_timeout_is_fail", "no answer until the deadline counts as not done", "S4, 004-05"},
    {"saga_open_is_not_done", "a new owner takes what was under way for not done", "S2, 000-07"},
    {"saga_late_ignored", "a late answer is only noted", "S11, model", false, "errors,stragglers"},
    {"saga_late_ok_only", "a late answer counts only if it is ok", "model", false, "errors,delays,stragglers"},
    {"saga_late_accept_ignored", "a late 202 is only noted, and its callback may never come", "simulator", false,
     "lost_answers,callbacks,stragglers"},
    {"saga_check_is_believed", "a look-up that finds nothing counts although a request may run late", "design 4.3",
     false, "lost_answers,errors,stragglers"},
    {"saga_resolved_in_flight", "an operator judges a step while a request of it may run", "simulator", false,
     "delays,lost_answers,operators"},
    {"saga_unreachable_spends", "a participant that cannot be reached costs an attempt", "design 4.5"},
    {"saga_held_is_compensated", "what a proxy says ends the attempts", "design 4.5", false, "errors,misroutes"},
    {"saga_progress_is_ignored", "who reports progress gets no more time", "design 4.5", false, "callbacks"},
    {"saga_progress_revives", "a report after the deadline gives the attempt more time", "design 4.3", false,
     "callbacks,delays"},
    // Sagas: the way forward.
    {"saga_new_round_early", "a rule retries under a new key while an attempt may be done", "model", false,
     "lost_answers,refusals,errors"},
    {"saga_plain_is_repeated", "what may be done is repeated where keys are not recognised", "S12"},
    {"saga_pivot_forgotten", "it turns back although its pivot may be done", "design 4.1"},
    {"saga_poison_is_repeated", "a step over which its owners die is begun for ever", "000-25", false, "killers"},
    {"saga_poison_undo_is_repeated", "a compensation over which its owners die is begun for ever", "000-25", false,
     "refusals,killers"},
    {"saga_newest_definition", "an execution goes on by the newest definition", "S10, 004-07"},
    {"saga_definition_is_cached", "a start goes by a definition that is no longer the newest, or was not there",
     "simulator"},
    {"saga_repin_changes_bodies", "after a repin one key is sent with another body", "design 4.1", false,
     "lost_answers,operators,versions"},
    {"saga_repin_is_not_stored", "a new owner goes on by the version that it was begun with", "design 4.6", false,
     "crashes,operators,versions"},
    {"saga_length_is_unbounded", "an execution goes on for ever, and its journal grows", "design 4.2"},
    {"saga_attempt_in_body", "the attempt's number is part of the body", "attack on the design"},
    // Sagas: what is waited for.
    {"saga_early_event_is_lost", "an event that comes before its step is not kept", "design 4.1"},
    {"saga_event_counts_twice", "one event is enough for two steps that wait for one each", "design 4.2"},
    {"saga_event_expires_first", "an event that came while nobody worked is too late", "design 4.5", false,
     "pauses,crashes,absences"},
    {"saga_wait_is_over", "a wait is over as soon as somebody looks", "design 4.1"},
    {"saga_wait_is_not_stored", "how long it waits is not part of the journal", "design 4.2"},
    {"saga_start_at_ignored", "an execution begins before the time that its start names", "design 4.1"},
    // Sagas: the way back.
    {"saga_compensates_beside", "a step is compensated while its action may still run", "model"},
    {"saga_undoes_in_order", "steps are compensated in the order they were done", "design 4.4"},
    {"saga_failed_undo_is_done", "a compensation that failed counts as done", "000-01, 004-06, S9"},
    {"saga_only_ok_is_undone", "only what was answered ok is compensated", "000-08, S4"},
    {"saga_no_compensation_is_undone", "a step without a compensation counts as undone", "000-11", false,
     "operators,refusals"},
    {"saga_skip_clears", "a step that is skipped counts as not done", "attack on the design"},
    {"saga_open_is_not_listed", "it fails and does not say what is open", "000-12, S13"},
    {"saga_end_is_final", "a late answer after the end is noted and not compensated", "S11, model", false,
     "refusals,stragglers"},
    // Sagas: keys.
    {"saga_key_ignored", "an execution begins although another one holds its key", "design 4.6", false, "keys"},
    {"saga_key_not_stored", "a new owner does not know who holds a key", "design 4.6", false, "keys,crashes"},
    {"saga_key_freed_by_failure", "what has failed leaves its key although something of it is open", "design 4.6",
     false, "keys,crashes,killers,operators"},
    {"saga_key_is_never_left", "nobody is called when a key becomes free", "design 4.6", false, "keys"},
    {"saga_busy_start_waits", "a start that names a later time waits for its key although it is to be refused",
     "design 4.6", false, "keys"},
    // Sagas: turns and time.
    {"saga_no_fencing", "whoever writes the journal, writes", "S7, 004-03"},
    {"saga_in_doubt_is_done", "a turn that was not written is taken for written", "D1, S1"},
    {"saga_send_before_turn", "an attempt is sent before its record is durable", "S1, 000-05, 004-01"},
    {"saga_sends_late", "what waited for the lease is sent after its deadline", "simulator", false, "pauses"},
    {"saga_rows_are_passed", "requests that were read and not decided on are passed", "O1"},
    {"saga_post_is_not_sent", "an action over a bus is begun, and its message is not in the same commit", "design 4.2"},
    {"saga_bus_never_expires", "a dead letter of an action is sent again after its compensation", "design 4.5"},
    {"saga_bus_no_is_believed", "a failure that is told over a bus counts although the message may run twice",
     "design 4.5", false, "copies,refusals,delays"},
    {"saga_child_wants_the_key", "a child waits for the key that its parent holds", "design 4.5", false, "keys"},
    {"saga_child_end_is_not_told", "a child ends, and its parent hears nothing of it", "design 4.5"},
    {"saga_failed_child_is_undone", "a child that has failed counts as not done, and something of it is open",
     "design 4.5", false, "refusals,errors,outages,operators"},
    {"saga_running_child_is_not_undone", "a child goes on although its parent has turned back", "design 4.5", false,
     "operators,refusals"},
    {"saga_undo_of_child_is_believed", "a child that has completed says that it is undone", "design 4.5", false,
     "operators,refusals"},
    {"saga_items_share_a_key", "the elements of a repeated step are called under one key", "design 4.1"},
    {"saga_concurrency_is_ignored", "all elements of a repeated step are begun at once", "issue 5"},
    {"saga_spread_is_not_stored", "a new owner does not know the list of a repeated step", "design 4.2", false,
     "crashes"},
    {"saga_request_is_not_awaited", "a request is passed before its execution was read", "simulator", false, "haste"},
    {"saga_under_way_not_stored", "what is under way is not part of the position", "S2"},
    {"saga_open_is_under_way", "a start that was open is read back as under way", "simulator"},
    {"saga_next_due_forgotten", "who is due next is not asked for after a batch of those that were", "000-31"},
    {"saga_set_back_is_ignored", "a retry waits for the time of a clock that was set back", "design 4.2", false,
     "refusals,jumps"},
    {"saga_timers_at_start", "deadlines count at once after a taking", "attack on the design"},
    {"saga_downtime_counts", "our own downtime counts against a deadline", "design 4.5"},
    {"saga_absence_is_active", "an attempt is active for as long as nobody was there", "simulator", false,
     "crashes,absences"},
});

}  // namespace

std::span<const Mutant> mutants() { return bank; }

void choose_mutant(std::string_view name) { chosen = name; }

std::string_view chosen_mutant() { return chosen; }

}  // namespace makegood::sim

namespace makegood::core {

bool is_mutant(std::string_view name) { return !sim::chosen.empty() && sim::chosen == name; }

}  // namespace makegood::core

package io.journal.examples.bank.web;

import java.util.UUID;
import java.util.concurrent.CompletionException;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.journal.examples.bank.command.Answer;
import io.journal.examples.bank.command.BankBusyException;
import io.journal.examples.bank.domain.Rejection.Reason;

/**
 * The answer to a command, as a client gets it.
 *
 * @param id       of the command.
 * @param status   HTTP status.
 * @param result   {@code executed}, {@code repeated} (it was executed before, under this id), {@code rejected},
 *                 {@code busy} (send it again later) or {@code unknown} (send it again: the id keeps it from being
 *                 executed twice).
 * @param sequence of the event; absent if there is none.
 * @param reason   the rule that forbids it.
 * @param message  for people.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Result(UUID id, int status, String result, Long sequence, Reason reason, String message)
{
    static Result of(final UUID id, final Answer answer)
    {
        if (answer.isExecuted())
        {
            return new Result(id, 200, answer.isRepeated() ? "repeated" : "executed", answer.sequence(), null, null);
        }

        final Reason reason = answer.rejection().reason();
        final int status = Reason.NO_ACCOUNT == reason ? 404 : 409;
        return new Result(id, status, "rejected", null, reason, answer.rejection().getMessage());
    }

    static Result of(final UUID id, final Throwable error)
    {
        final Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        return cause instanceof BankBusyException ?
            new Result(id, 503, "busy", null, null, cause.getMessage()) :
            new Result(id, 500, "unknown", null, null, "The bank has failed: send the command again, with its id.");
    }
}

package io.journal;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;

import io.journal.JournalVerifier.SegmentCheck;
import io.journal.JournalVerifier.Severity;
import io.journal.JournalVerifier.Verdict;
import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.journal.JournalDirectory.SEGMENT_LENGTH;
import static io.journal.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What a device withholds is not called damaged: it may be whole, and cutting it away would lose it.
 */
class UnreadableTest extends RecoveryFixture
{
    @ParameterizedTest
    @ValueSource(ints = { 0, 100, 4096, 30_000, SEGMENT_LENGTH - 1 })
    void segmentThatFailsToBeReadIsToldAsThat(final int failing)
    {
        try (Journal journal = open(live, Backend.FILE_CHANNEL))
        {
            model.appendInto(journal, 3, 3000);
        }

        final Verdict verdict = verify(failing);

        assertTrue(verdict.isDamaged());
        assertEquals(1, verdict.findings().size(), verdict::toString);
        assertEquals(Severity.UNREADABLE, verdict.findings().get(0).severity());
        assertEquals(segmentName(1), verdict.findings().get(0).file());
        assertTrue(verdict.findings().get(0).found().contains("Input/output error"), verdict::toString);
        assertTrue(verdict.findings().get(0).offset() <= failing, verdict::toString);
    }

    private Verdict verify(final int failing)
    {
        final SegmentStore store = failing(Backend.FILE_CHANNEL.store(live.path), failing);
        final JournalVerifier verifier = JournalVerifier.open(live.path, store);
        final List<SegmentCheck> checks = verifier.ordinals().stream().map((ordinal) -> verifier.check(ordinal, (n) ->
        {
        })).toList();
        return verifier.conclude(checks);
    }

    /**
     * A store whose second segment cannot be read at an offset.
     */
    private static SegmentStore failing(final SegmentStore store, final int failing)
    {
        return proxy(SegmentStore.class, (proxy, method, args) ->
        {
            final Object result = call(store, method, args);
            return "open".equals(method.getName()) && segmentName(1).equals(args[0]) ?
                failing((SegmentFile)result, failing) : result;
        });
    }

    private static SegmentFile failing(final SegmentFile file, final int failing)
    {
        return proxy(SegmentFile.class, (proxy, method, args) ->
        {
            if ("read".equals(method.getName()))
            {
                final long from = (long)args[0];
                if (from <= failing && failing < from + ((ByteBuffer)args[1]).remaining())
                {
                    throw new IOException("Input/output error");
                }
            }
            return call(file, method, args);
        });
    }

    private static Object call(final Object target, final Method method, final Object... args) throws Throwable
    {
        try
        {
            return method.invoke(target, args);
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }

    private static <T> T proxy(final Class<T> type, final InvocationHandler handler)
    {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{ type }, handler));
    }
}

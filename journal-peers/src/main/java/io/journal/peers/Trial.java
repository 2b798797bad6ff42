package io.journal.peers;

import java.nio.file.Path;
import java.util.Map;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.journal.bench.run.Child;

/**
 * Measures one case in a process of its own, and prints its values.
 */
final class Trial
{
    /** Name of the value of most workloads. */
    static final String RATE = "records/s";
    static final String RESULT = "result=";
    private static final ObjectMapper JSON = new ObjectMapper();

    private Trial()
    {
    }

    /** Arguments: the case, directories on the disk and in memory, the step of a case that takes several processes. */
    public static void main(final String[] args) throws Exception
    {
        Child.endWithParent();
        final Case measured = JSON.readValue(args[0], Case.class);
        final PeerSettings settings = new PeerSettings(
            Path.of(args[1]), Path.of(args[2]), measured.segmentLength(), measured.recordLength(),
            measured.workload());
        final Map<String, Double> values = switch (measured.workload())
        {
            case PREPARED, SUSTAINED -> AppendTrial.run(measured, settings);
            case SHARED -> SharedTrial.run(measured, settings);
            case DURABLE -> DurableTrial.run(measured, settings);
            case PIPELINED -> PipelinedTrial.run(measured, settings);
            case REPLAY -> ReplayTrial.run(measured, settings);
            case LOOKUP -> LookupTrial.run(measured, settings);
            case PACED -> PacedTrial.run(measured, settings);
            case FOLLOWED -> FollowedTrial.run(measured, settings);
            case OPEN, OPEN_DURABLE -> OpenTrial.run(measured, settings, args[3]);
        };
        System.out.println(RESULT + JSON.writeValueAsString(values));
        // Some peers leave threads behind.
        System.exit(0);
    }
}

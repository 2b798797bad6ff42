package io.journal.bench.run;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Header of a result: what was run, and where.
 *
 * @param experiment name of the command.
 * @param profile    profile of the run.
 * @param scale      fraction of the full size that was run, at most 1.
 * @param command    command line as typed.
 * @param plan       describes what is done.
 * @param machine    its facts, by name.
 */
public record RunFacts(
    String experiment, Profile profile, double scale, String command, String plan, Map<String, String> machine)
{
    /**
     * All but the machine, by name.
     */
    public Map<String, String> texts()
    {
        final Map<String, String> texts = new LinkedHashMap<>();
        texts.put("experiment", experiment);
        texts.put("profile", profile.label());
        texts.put("scale", 1 == scale ? "1" : Double.toString(scale));
        texts.put("command", command);
        texts.put("plan", plan);
        return texts;
    }
}

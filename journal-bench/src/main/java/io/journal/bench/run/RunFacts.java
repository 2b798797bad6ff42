package io.journal.bench.run;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was run, and where: numbers without it say nothing.
 *
 * @param experiment name of the command.
 * @param profile    how it was run.
 * @param scale      1, or the share of it that was run.
 * @param command    as it was typed.
 * @param plan       what is done, in words.
 * @param machine    what describes it, by name.
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

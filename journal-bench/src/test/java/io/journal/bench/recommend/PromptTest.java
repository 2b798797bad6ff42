package io.journal.bench.recommend;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class PromptTest
{
    private final Deque<String> answers = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();

    @Test
    void emptyAnswerSelectsTheDefault()
    {
        answers.add("  ");

        assertEquals("256", ask());
        assertEquals(List.of("How long? [256] "), asked);
    }

    @Test
    void endOfInputSelectsTheDefault()
    {
        assertEquals("256", ask());
    }

    @Test
    void invalidAnswerIsAskedForAgain()
    {
        answers.addAll(List.of("long", "-1", " 77 "));

        assertEquals("77", ask());
        assertEquals(3, asked.size());
        assertEquals("Please answer with a number.\nHow long? [256] ", asked.get(1));
    }

    private String ask()
    {
        return Recommend.ask(
            (question) ->
            {
                asked.add(question);
                return answers.poll();
            }, "How long?", "256", "a number", (answer) -> answer.matches("\\d+"));
    }
}

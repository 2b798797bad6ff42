package io.journal.bench.recommend;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class QuestionsTest
{
    private final Deque<String> answers = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private final Questions questions = new Questions((question) ->
    {
        asked.add(question);
        return answers.poll();
    });

    @Test
    void anEmptyAnswerTakesTheDefault()
    {
        answers.add("  ");

        assertEquals("256", ask());
        assertEquals(List.of("How long? [256] "), asked);
    }

    @Test
    void theEndOfTheInputTakesTheDefault()
    {
        assertEquals("256", ask());
    }

    @Test
    void anAnswerThatWillNotDoIsAskedForAgain()
    {
        answers.addAll(List.of("long", "-1", " 77 "));

        assertEquals("77", ask());
        assertEquals(3, asked.size());
        assertEquals("Please answer with a number.\nHow long? [256] ", asked.get(1));
    }

    private String ask()
    {
        return questions.ask("How long?", "256", "a number", (answer) -> answer.matches("\\d+"));
    }
}

/**
 * The transport: HTTP, JSON, server-sent events and the page. Decides nothing about money; checks who asks, how much,
 * and in which form.
 */
package io.journal.examples.bank.web;

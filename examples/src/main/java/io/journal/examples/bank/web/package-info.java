/**
 * The transport: HTTP, JSON, server-sent events and the page. Decides nothing about money; checks the origin, size and
 * form of requests.
 */
package io.journal.examples.bank.web;

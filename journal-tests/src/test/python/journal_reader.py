#!/usr/bin/env python3
"""Reads journals at rest. Written from docs/format.md alone, as a second opinion on that page and on the library.

usage: journal_reader.py [--base64] DIRECTORY...

Prints a JSON line for each record, and one for how each journal ended: {"end": ...} or {"error": ...}. Nothing is
written into a journal, and no lock is asked for: what a writer changes meanwhile may show as damage.

exit code, of several journals the highest: 0 read to its end, 1 corrupt, 2 wrong usage, 3 not a journal, or a part of
another one, 4 of a newer format, 5 input or output failed
"""
import base64
import json
import os
import re
import stat
import struct
import sys

MASK_32, MASK_64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
LIMIT = 1 << 62  # no generation, position or sequence reaches it

BLOCK = 4096
CONTROL_LENGTH, SLOT_LENGTH = 139264, 65536
WATERMARKS = 2 * SLOT_LENGTH + BLOCK
HEADER = 24
LARGEST_BODY = 16777216

PADDING, MARK = 1, 2
CRITICAL = 1 << 62
MORE = 1 << 30  # of a record's stored length: more of its batch follows
MARK_LENGTH = 64


class Refused(Exception):
    """Why a journal is not read, or not read any further."""

    codes = {'corrupt': 1, 'foreign': 3, 'absent': 3, 'newer': 4, 'io': 5}

    def __init__(self, kind, message, path=None, offset=None, expected=None, found=None):
        super().__init__(message)
        self.kind = kind
        self.facts = {
            'kind': kind, 'message': message, 'file': path, 'offset': offset, 'expected': expected, 'found': found}

    def line(self):
        return {key: value for key, value in self.facts.items() if value is not None}


# Checksums.

def _crc_tables():
    tables = [[0] * 256 for _ in range(8)]
    for i in range(256):
        crc = i
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        tables[0][i] = crc
    for i in range(256):
        for t in range(1, 8):
            below = tables[t - 1][i]
            tables[t][i] = below >> 8 ^ tables[0][below & 0xFF]
    return tables


T0, T1, T2, T3, T4, T5, T6, T7 = _crc_tables()


def crc32c(data):
    crc = MASK_32
    whole = len(data) & ~7
    for low, high in struct.iter_unpack('<II', data[:whole]):
        low ^= crc
        crc = (T7[low & 0xFF] ^ T6[low >> 8 & 0xFF] ^ T5[low >> 16 & 0xFF] ^ T4[low >> 24] ^
               T3[high & 0xFF] ^ T2[high >> 8 & 0xFF] ^ T1[high >> 16 & 0xFF] ^ T0[high >> 24])
    for byte in data[whole:]:
        crc = crc >> 8 ^ T0[(crc ^ byte) & 0xFF]
    return crc ^ MASK_32


def mix(salt, offset, stored):
    h = (salt ^ ((offset << 32) + (stored & MASK_32))) & MASK_64
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93 & MASK_64
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93 & MASK_64
    return (h ^ h >> 32) & MASK_32


def is_sealed(block):
    return crc32c(block[:BLOCK - 4]) == struct.unpack_from('<I', block, BLOCK - 4)[0]


# Files.

def read_file(path, length=None):
    """The bytes of a regular file; of a length, when that is given."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if os.path.islink(path):
            raise Refused('corrupt', 'not a regular file', path) from error
        raise
    with open(descriptor, 'rb') as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Refused('corrupt', 'not a regular file', path)
        if length is not None and status.st_size != length:
            raise Refused('corrupt', 'wrong file length', path, expected=length, found=status.st_size)
        data = file.read(length)
        if length is not None and len(data) != length:
            raise Refused('corrupt', 'file was cut short', path, expected=length, found=len(data))
        return data


def check_block(block, magic, path, uuid=None):
    """The identifying block, in the order the page gives: magic, version, checksum, features, UUID."""
    if block[:8] != magic:
        raise Refused('foreign', 'wrong magic', path, 0, magic.decode(), repr(block[:8]))
    major, _minor, length, _compatible, _read_only, incompatible = struct.unpack_from('<HHiiii', block, 8)
    if major > 2 and not is_sealed(block[:8] + b'\2\0' + block[10:]) or major < 2 and is_sealed(block):
        raise Refused('newer', 'unknown version', path, 8, 2, major)
    if not is_sealed(block) or major != 2 or length != BLOCK:
        raise Refused('corrupt', 'checksum of a block', path, BLOCK - 4)
    if incompatible:
        raise Refused('newer', 'unknown features', path, 24, 0, incompatible)
    if uuid is not None and block[32:48] != uuid:
        raise Refused('foreign', 'of another journal', path, 32, uuid.hex(), block[32:48].hex())


class Cut:
    def __init__(self, data, offset):
        self.number, self.term, self.start, self.end, self.sequence, self.previous = struct.unpack_from(
            '<6q', data, offset)
        self.is_empty = self.start == self.end


class Control:
    """Identity, state and durable watermark: journal.control."""

    def __init__(self, path):
        data = read_file(path, CONTROL_LENGTH)
        check_block(data[:BLOCK], b'JRNLCTRL', path)
        self.uuid = data[32:48]
        self.segment_length, = struct.unpack_from('<q', data, 48)
        length = self.segment_length
        if not 65536 <= length <= 1 << 30 or length & length - 1:
            raise Refused('corrupt', 'segment length', path, 48, found=length)

        states = [state for state in (self._slot(path, data, slot) for slot in (0, 1)) if state is not None]
        if not states:
            raise Refused('corrupt', 'no valid state', path, BLOCK)
        slot = max(states, key=lambda state: state[0])
        (_, self.number, self.term, self.start, self.start_sequence, self.start_term, self.pruned_number,
         self.closed, self.closed_sequence, self.cuts, self.cursors) = slot
        self.watermark, self.watermark_sequence = self._watermark(data)
        forcing, changing = struct.unpack_from('<qq', data, WATERMARKS + 1024)
        self.is_force_unfinished = forcing != 0
        self.is_clean = self.closed != 0 and forcing == 0 and changing == 0
        self.first = self.live(self.start + BLOCK)

    def _slot(self, path, data, number):
        """A state, None if the slot has none; one with a valid checksum has to be possible."""
        at = BLOCK + number * SLOT_LENGTH
        generation, length, cut_count, cursor_count, _ = struct.unpack_from('<qiiii', data, at)
        if not 140 <= length <= SLOT_LENGTH:
            return None
        end = at + length - 4
        if crc32c(data[at:end]) != struct.unpack_from('<I', data, end)[0]:
            return None

        numbers = struct.unpack_from('<8q', data, at + 24)
        is_possible = (1 <= generation < LIMIT and generation % 2 == number and
                       all(0 <= value < LIMIT for value in numbers) and numbers[5] <= numbers[0] and
                       numbers[2] % self.segment_length == 0 and numbers[3] >= 1 and
                       1 <= cut_count <= (end - at - 88) // 48 and cursor_count >= 0)
        cuts, cursors = [], {}
        if is_possible:
            cuts = [Cut(data, at + 88 + 48 * i) for i in range(cut_count)]
            is_possible = self._are_possible(cuts, numbers[0], numbers[1])
            at += 88 + 48 * cut_count
        for _ in range(cursor_count if is_possible else 0):
            name_length = struct.unpack_from('<i', data, at + 16)[0] if end - at >= 20 else 0
            if not 1 <= name_length <= 100 or end - at < (20 + name_length + 7 & ~7):
                is_possible = False
                break
            sequence, term = struct.unpack_from('<qq', data, at)
            name = data[at + 20:at + 20 + name_length].decode('latin-1')
            is_possible = (is_possible and re.fullmatch('[A-Za-z0-9_-][A-Za-z0-9._-]*', name) is not None and
                           name not in cursors and 0 <= sequence < LIMIT and 0 <= term < LIMIT)
            cursors[name] = sequence
            at += 20 + name_length + 7 & ~7
        if not is_possible or at != end:
            raise Refused('corrupt', 'impossible state', path, BLOCK + number * SLOT_LENGTH)
        return (generation, *numbers, cuts, cursors)

    def _are_possible(self, cuts, number, term):
        position = sequence = 0
        for cut in cuts:
            values = (cut.number, cut.term, cut.start, cut.end, cut.sequence, cut.previous)
            if not (all(0 <= value < LIMIT for value in values) and cut.number <= number and
                    position <= cut.start <= cut.end and cut.sequence > sequence and
                    all(place % 8 == 0 and place % self.segment_length >= BLOCK for place in (cut.start, cut.end))):
                return False
            position, sequence = cut.end, cut.sequence
        return cuts[-1].number == number and cuts[-1].term == term

    def _watermark(self, data):
        """The current durable watermark: position and sequence, or None and None."""
        valid = []
        for slot in 0, 1:
            at = WATERMARKS + 512 * slot
            generation, term, position, sequence, checksum = struct.unpack_from('<qqqqI', data, at)
            if (checksum == crc32c(data[at:at + 32]) and 0 < generation < LIMIT and term == self.term and
                    0 <= position < LIMIT and 0 < sequence < LIMIT):
                valid.append((generation, position, sequence))
        return max(valid)[1:] if valid else (None, None)

    def live(self, position):
        """A position, or the end of the cut that it lies in."""
        return next((cut.end for cut in self.cuts if cut.start <= position < cut.end), position)

    def is_dead(self, ordinal):
        """Whether all frames of a segment are cut, so that it may be absent."""
        base, end = ordinal * self.segment_length, (ordinal + 1) * self.segment_length
        live = self.live(base + BLOCK)
        # The one before the current term stays as long as it may be the last one.
        last = self.cuts[-1]
        is_last = last.end == end + BLOCK and last.start <= base + BLOCK < last.end
        return base > self.start and live >= end and not is_last


# Frames.

class Invalid(Exception):
    """Why there is no valid frame."""


class Frame:
    """A valid frame: docs/format.md, "Validity"."""

    def __init__(self, segment, offset, limit=None):
        data = segment.data
        rest = len(data) - offset
        limit = len(data) if limit is None else limit
        assert offset % 8 == 0 and rest >= HEADER
        self.offset = offset
        if limit - offset < HEADER:
            raise Invalid('frame behind the end')
        stored, checksum, self.sequence, self.tag = struct.unpack_from('<iIqq', data, offset)
        self.is_control = stored < 0
        self.is_more = not self.is_control and stored & MORE != 0
        length = -stored if self.is_control else stored & ~MORE
        if stored == 0:
            raise Invalid('nothing here')
        if not HEADER <= length <= rest:
            raise Invalid('length of a frame: %d' % stored)
        self.is_padding = self.is_control and self.tag == PADDING
        if self.is_padding:
            if length != rest:
                raise Invalid('length of padding: %d' % stored)
        elif length - HEADER > LARGEST_BODY:
            raise Invalid('length of a frame: %d' % stored)
        if self.is_control and self.tag == MARK and length != MARK_LENGTH:
            raise Invalid('length of a control frame: %d' % stored)
        self.end = offset + length
        summed = offset + HEADER if self.is_padding else self.end
        if summed > limit:
            raise Invalid('frame behind the end')
        self.is_mark = self.is_control and self.tag == MARK
        if offset == BLOCK and not self.is_mark:
            raise Invalid('no mark at the beginning of a segment')
        if offset not in segment.verified:
            if crc32c(data[offset + 8:summed]) ^ mix(segment.salt, offset, stored) != checksum:
                raise Invalid('checksum of a frame')
            segment.verified.add(offset)
        if self.is_mark:
            self.forced, _, self.number, self.term, self.previous = struct.unpack_from('<5q', data, offset + HEADER)
            if not 0 <= self.forced <= segment.position(offset):
                raise Invalid('watermark above its own position: %d' % self.forced)
            if not all(0 <= value < LIMIT for value in (self.number, self.term, self.previous)):
                raise Invalid('impossible term in a watermark frame: %d' % self.number)
        self.records = [] if self.is_control else [(self.sequence, self.tag, data[offset + HEADER:self.end])]
        self.next_sequence = self.sequence + len(self.records)
        self.next_offset = self.end + 7 & ~7


class Segment:
    def __init__(self, journal, ordinal):
        self.path = journal.segment_path(ordinal)
        self.ordinal = ordinal
        control = journal.control
        self.data = read_file(self.path, control.segment_length)
        check_block(self.data[:BLOCK], b'JRNLSEGM', self.path, control.uuid)
        found_ordinal, found_length, salt = struct.unpack_from('<qqQ', self.data, 48)
        if found_ordinal != ordinal:
            raise Refused('foreign', 'ordinal of another segment', self.path, 48, ordinal, found_ordinal)
        if found_length != control.segment_length:
            raise Refused('foreign', 'another segment length', self.path, 56, control.segment_length, found_length)
        self.salt = salt
        self.is_recycled = struct.unpack_from('<i', self.data, 16)[0] & 1 != 0
        self.start = ordinal * control.segment_length
        self.verified = set()  # offsets of frames whose checksum held

    def position(self, offset):
        return self.start + offset

    def content_end(self, start, sequence):
        """Behind the last byte that is not zero; of a recycled file, behind the last valid frame of this use."""
        stripped = start + len(self.data[start:].rstrip(b'\0'))
        if not self.is_recycled:
            return stripped
        length = len(self.data)
        end, budget = start, 4 * length
        for at in range(start, length - HEADER + 1, 8):
            stored, _, found, tag = struct.unpack_from('<iIqq', self.data, at)
            size = -stored if stored < 0 else stored & ~MORE
            is_long = stored > 0 and size - HEADER > LARGEST_BODY
            if 0 <= found - sequence <= length and HEADER <= size <= length - at and not is_long:
                try:
                    after = Frame(self, at).next_offset
                    end = max(end, after if length - after >= HEADER else length)
                except Invalid:
                    pass
                budget -= size
                if budget < 0:
                    return stripped
        return end

    def marks_from(self, offset, limit=None):
        """Valid watermark frames from an offset on, whatever is between them. Their length is looked for first."""
        limit = len(self.data) if limit is None else min(limit, len(self.data))
        at = self.data.find(struct.pack('<i', -MARK_LENGTH), offset, limit)
        while at >= 0:
            if at % 8 == 0 and limit - at >= MARK_LENGTH:
                try:
                    frame = Frame(self, at)
                    if frame.is_mark and 0 < frame.sequence < LIMIT:
                        yield frame
                except Invalid:
                    pass
            at = self.data.find(struct.pack('<i', -MARK_LENGTH), at + 1, limit)


class Chain:
    """What the next watermark frame has to match: docs/format.md, "Terms". 0 where it is not known."""

    def __init__(self, control, previous=0, sequence=0):
        self.control = control
        self.number = self.term = 0
        self.previous, self.sequence = previous, sequence
        self.begins = None  # the cut whose term the next frame begins

    def cross(self, cut):
        self.begins, self.term = cut, 0
        self.previous, self.sequence = cut.previous, cut.sequence

    def term_before(self, sequence):
        """Term of the record before a sequence."""
        return self.term if sequence > self.sequence else self.previous

    @staticmethod
    def is_same(term, other):
        return term == other or 0 in (term, other)

    def accepts(self, mark):
        """Whether a watermark frame is the next one; passes it if so."""
        before = self.term_before(mark.sequence)
        if not self.is_same(before, mark.previous):
            return False
        if self.begins is not None:
            if (mark.number, mark.term) != (self.begins.number, self.begins.term):
                return False
        elif self.term != 0 and mark.number == self.number:
            if mark.term != self.term:
                return False
        elif not self.number <= mark.number <= self.control.number:
            return False
        elif mark.number == self.control.number and mark.term != self.control.term:
            return False
        self.number, self.term, self.sequence, self.begins = mark.number, mark.term, mark.sequence, None
        self.previous = mark.previous or before
        return True


class Walk:
    """From frame to frame, over segments and cuts: docs/format.md, "The walk"."""

    def __init__(self, journal, position, sequence):
        self.journal, self.control = journal, journal.control
        self.position, self.sequence = journal.place(position), sequence
        self.chain = Chain(self.control)
        self.durable = 0
        self.why, self.is_out_of_sequence, self.in_batch = None, False, False
        if self.position <= self.control.first:
            self.position, self.sequence = self.control.start + BLOCK, self.control.start_sequence
            self.chain = Chain(self.control, self.control.start_term, self.control.start_sequence)
        self.cuts = [cut for cut in self.control.cuts if cut.end >= self.position]
        if self.cuts and self.cuts[0].start < self.position:
            self._cross()

    def _cross(self):
        cut = self.cuts.pop(0)
        self.position, self.sequence = self.journal.place(cut.end), cut.sequence
        self.chain.cross(cut)

    def _check_cut(self, cut):
        begin = self.control.start + BLOCK
        is_there = (self.position == cut.start and self.sequence == cut.sequence and
                    self.chain.is_same(self.chain.term_before(self.sequence), cut.previous))
        if not cut.start <= begin < cut.end and self.sequence is not None and not is_there:
            raise Refused('corrupt', 'not the records after which something was truncated', self._path(),
                          self.position % self.control.segment_length, cut.sequence, self.sequence)

    def _path(self):
        return self.journal.segment_path(self.position // self.control.segment_length)

    def frames(self, end=None):
        """Frames in order. Without an end, to where none follows, why then says why; to an end, all have to be there."""
        while end is None or self.position < end:
            if self.cuts and self.position >= self.cuts[0].start:
                if self.in_batch:
                    raise Refused('corrupt', 'batch without its last record', self._path())
                self._check_cut(self.cuts[0])
                self._cross()
                continue
            try:
                frame = self._next(end is None)
            except Invalid as why:
                if end is not None:
                    raise Refused('corrupt', str(why), self._path(),
                                  self.position % self.control.segment_length, self.sequence) from None
                self.why = str(why)
                return
            if frame.is_control and frame.tag & CRITICAL:
                raise Refused('newer', 'critical frame of an unknown kind', self._path(), frame.offset,
                              found=frame.tag)
            if frame.is_mark:
                self.durable = max(self.durable, frame.forced)
            self.sequence, self.in_batch = frame.next_sequence, frame.is_more
            self.position = self.journal.place(self.position - frame.offset + frame.next_offset)
            yield frame
        if self.in_batch:
            raise Refused('corrupt', 'batch without its last record', self._path())

    def _next(self, is_looking_ahead):
        ordinal, offset = divmod(self.position, self.control.segment_length)
        if ordinal not in self.journal.ordinals:
            raise Invalid('a segment is missing')
        segment = self.journal.segment(ordinal)
        limit = len(segment.data)
        if self.cuts and not self.cuts[0].is_empty:
            limit = min(limit, self.cuts[0].start - segment.start)
        frame = Frame(segment, offset, limit)
        self._check_sequence(frame, self.sequence)
        if self.in_batch and (frame.is_control or offset == BLOCK):
            raise Invalid('batch without its last record')
        if is_looking_ahead and not self.in_batch:
            self._check_batch(segment, frame, limit)
        if not self.chain.accepts(frame) if frame.is_mark else self.chain.begins is not None:
            raise Invalid('a frame of another term')
        return frame

    def _check_sequence(self, frame, expected):
        if expected is None:
            if not 0 < frame.sequence < LIMIT:
                raise Invalid('impossible sequence')
        elif frame.sequence != expected:
            self.is_out_of_sequence = True
            raise Invalid('sequence %d instead of %d' % (frame.sequence, expected))

    def _check_batch(self, segment, frame, limit):
        """A batch is there when its last frame is: looks ahead to it."""
        while frame.is_more:
            if len(segment.data) - frame.next_offset < HEADER:
                raise Invalid('batch without its last record')
            following = Frame(segment, frame.next_offset, limit)
            self._check_sequence(following, frame.next_sequence)
            if following.is_control:
                raise Invalid('control frame within a batch')
            frame = following

    def last_term(self):
        return self.chain.term_before(self.sequence)


class Journal:
    """A journal whose end was found: docs/format.md, "Opening"."""

    def __init__(self, path):
        self.path = path
        names = os.listdir(path)
        for name in sorted(names):
            if name.endswith('.journal') and not (
                    re.fullmatch(r'[0-9]{20}\.journal', name) and int(name[:20]) < 1 << 63):
                raise Refused('foreign', 'no name of a segment', os.path.join(path, name))
        ordinals = sorted(int(name[:20]) for name in names if name.endswith('.journal'))
        if 'journal.control' not in names:
            raise self._without_control(ordinals)
        self.control = Control(os.path.join(path, 'journal.control'))
        self.ordinals = self._check_set(ordinals)
        self.cache = {}
        self._find_end()
        # A writer appends to it.
        self.segment(min(self.end // self.control.segment_length, self.ordinals[-1]))
        self.tail = self._measure_tail()

    def _without_control(self, ordinals):
        if ordinals:
            return Refused('corrupt', 'segments without journal.control', self.path)
        return Refused('absent', 'no journal here', self.path)

    def _check_set(self, ordinals):
        expected = self.control.start // self.control.segment_length
        kept = [ordinal for ordinal in ordinals if ordinal >= expected]
        if not kept:
            raise Refused('corrupt', 'no segment', self.segment_path(expected))
        for ordinal in kept:
            while expected < ordinal and self.control.is_dead(expected):
                expected += 1
            if ordinal != expected:
                raise Refused('corrupt', 'a segment is missing', self.segment_path(expected), found=ordinal)
            expected += 1
        if expected <= (self.control.cuts[-1].end - BLOCK - 1) // self.control.segment_length:
            raise Refused('corrupt', 'a segment is missing', self.segment_path(expected))
        return kept

    def segment_path(self, ordinal):
        return os.path.join(self.path, '%020d.journal' % ordinal)

    def segment(self, ordinal):
        if ordinal not in self.cache:
            while len(self.cache) * self.control.segment_length > 64 << 20:
                self.cache.pop(min(self.cache))
            self.cache[ordinal] = Segment(self, ordinal)
        return self.cache[ordinal]

    def place(self, position):
        """The last of the positions that are the same place."""
        ordinal, offset = divmod(position, self.control.segment_length)
        if self.control.segment_length - offset < HEADER:
            ordinal, offset = ordinal + 1, BLOCK
        return ordinal * self.control.segment_length + max(offset, BLOCK)

    def _known(self):
        """The highest position that is known to be durable without a walk."""
        control = self.control
        known = max(control.first, control.cuts[-1].end, control.watermark or 0)
        if control.is_clean:
            return max(known, control.closed)
        for ordinal in reversed(self.ordinals):
            if ordinal * control.segment_length <= known:
                break
            try:
                mark = Frame(self.segment(ordinal), BLOCK)
                if 0 < mark.sequence < LIMIT and mark.term == control.term:
                    return max(known, mark.forced)
            except Invalid:
                pass
        return known

    def _find_end(self):
        control, length = self.control, self.control.segment_length
        known = self._known()
        ordinal, offset = divmod(self.place(known), length)
        begin = max(min(ordinal - (offset == BLOCK), self.ordinals[-1]) * length + BLOCK, control.first)
        last = control.cuts[-1]
        walk = Walk(self, last.end, last.sequence) if last.end >= begin else Walk(self, begin, None)
        for _ in walk.frames():
            pass
        if walk.is_out_of_sequence:
            raise Refused('corrupt', walk.why, self.segment_path(walk.position // length), walk.position % length)

        highest = max(known, walk.durable, self._later(walk.position))
        self.end, self.end_sequence = walk.position, walk.sequence
        is_elsewhere = control.is_clean and (self.place(control.closed) != self.end or
                                             control.closed_sequence != self.end_sequence)
        if self.place(highest) > self.end or is_elsewhere:
            raise Refused('corrupt', walk.why, self.segment_path(self.end // length), self.end % length,
                          'durable to %d' % highest)
        if (control.watermark is not None and self.place(control.watermark) == self.end and
                control.watermark_sequence > self.end_sequence):
            raise Refused('corrupt', 'sequence of the durable watermark', self.path, None,
                          control.watermark_sequence, self.end_sequence)
        if self.end_sequence < control.start_sequence:
            raise Refused('corrupt', 'the log ends before its first record', self.path, None,
                          control.start_sequence, self.end_sequence)
        for name, sequence in control.cursors.items():
            if sequence >= self.end_sequence:
                raise Refused('corrupt', 'no record of a cursor: ' + name, self.path, None, sequence,
                              self.end_sequence - 1)

    def _later(self, position):
        """The highest watermark of the current term in what follows the end."""
        control, found = self.control, 0
        ordinal, offset = divmod(position, control.segment_length)
        for later in self.ordinals:
            if later >= ordinal:
                start = offset if later == ordinal else BLOCK
                for mark in self.segment(later).marks_from(start, start + 65536 if control.is_clean else None):
                    if mark.number > control.number or (mark.number == control.number and mark.term != control.term):
                        raise Refused('corrupt', 'a later term than that of journal.control',
                                      self.segment_path(later), mark.offset, control.number, mark.number)
                    if mark.term == control.term:
                        found = max(found, mark.forced)
        return found

    def _measure_tail(self):
        """Bytes behind the end of a journal that was not closed: to the last one in each segment that is not zero."""
        if self.control.is_clean:
            return 0
        ordinal, offset = divmod(self.end, self.control.segment_length)
        tail = 0
        for later in self.ordinals:
            if later >= ordinal:
                start = offset if later == ordinal else BLOCK
                tail += self.segment(later).content_end(start, self.end_sequence) - start
        return tail

    def records(self):
        walk = Walk(self, self.control.first, self.control.start_sequence)
        for frame in walk.frames(self.end):
            yield from frame.records
        if walk.sequence != self.end_sequence:
            raise Refused('corrupt', 'sequence at the end', self.path, None, self.end_sequence, walk.sequence)


def print_line(line):
    sys.stdout.write(json.dumps(line) + '\n')


def print_journal(path, is_base64):
    """Prints a journal and returns the exit code."""
    doing = 'opening'
    try:
        journal = Journal(path)
        doing = 'reading'
        for sequence, tag, record in journal.records():
            line = {'sequence': sequence, 'tag': tag}
            try:
                if is_base64:
                    raise ValueError
                line['text'] = record.decode('utf-8')
            except ValueError:
                line['base64'] = base64.b64encode(record).decode('ascii')
            print_line(line)
    except Refused as refused:
        print_line({'error': {'while': doing, **refused.line()}})
        return Refused.codes[refused.kind]
    except (FileNotFoundError, NotADirectoryError) as error:
        print_line({'error': {'while': doing, 'kind': 'absent', 'message': str(error)}})
        return Refused.codes['absent']
    except OSError as error:
        print_line({'error': {'while': doing, 'kind': 'io', 'message': str(error)}})
        return Refused.codes['io']

    print_line({'end': {
        'journal': path, 'position': journal.end, 'nextSequence': journal.end_sequence,
        'cleanlyClosed': journal.control.is_clean, 'tail': journal.tail, 'forced': journal.control.watermark,
        'forceUnfinished': journal.control.is_force_unfinished, 'cursors': journal.control.cursors}})
    return 0


def main(arguments):
    is_base64 = '--base64' in arguments
    paths = [argument for argument in arguments if argument != '--base64']
    if not paths or any(path.startswith('--') for path in paths):
        sys.stderr.write(__doc__)
        return 2
    return max(print_journal(path, is_base64) for path in paths)


if __name__ == '__main__':
    assert crc32c(b'123456789') == 0xE3069283
    sys.exit(main(sys.argv[1:]))

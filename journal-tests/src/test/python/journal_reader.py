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
META_LENGTH, MARK_LENGTH = 3 * BLOCK, 16384
HEADER = 24
LARGEST_BODY = 16777216

PADDING, MARK, CLOSE = 1, 2, 3
CRITICAL = 1 << 62
MORE = 1 << 30  # of a record's stored length: more of its batch follows
LENGTHS = {MARK: 64, CLOSE: 32}


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
    if major > 2 or major < 2 and is_sealed(block):
        raise Refused('newer', 'unknown version', path, 8, 2, major)
    if not is_sealed(block) or major != 2 or length != BLOCK:
        raise Refused('corrupt', 'checksum of a block', path, BLOCK - 4)
    if incompatible:
        raise Refused('newer', 'unknown features', path, 24, 0, incompatible)
    if uuid is not None and block[32:48] != uuid:
        raise Refused('foreign', 'of another journal', path, 32, uuid.hex(), block[32:48].hex())


class Meta:
    """Identity and state: journal.meta."""

    def __init__(self, path):
        data = read_file(path, META_LENGTH)
        check_block(data[:BLOCK], b'JRNLMETA', path)
        self.uuid = data[32:48]
        self.segment_length, = struct.unpack_from('<q', data, 48)
        length = self.segment_length
        if not 65536 <= length <= 1 << 30 or length & length - 1:
            raise Refused('corrupt', 'segment length', path, 48, found=length)

        states = []
        for slot in 1, 2:
            start = slot * BLOCK
            block = data[start:start + BLOCK]
            if is_sealed(block):
                state = struct.unpack_from('<qqqqiiqqqq', block)
                self._check_state(path, start, slot, *state[:5])
                states.append((state, start))
        if not states:
            raise Refused('corrupt', 'no valid state', path, BLOCK)
        state, start = max(states)
        _, self.epoch, self.start, self.start_sequence, pending, _, self.cut, cut_sequence = state[:8]
        self.zero_end, self.start_term = state[8:]
        self.is_cut_pending = pending == 1
        self.cut_sequence = cut_sequence
        if self.is_cut_pending:
            ordinal, offset = divmod(self.cut, length)
            if not (self.start <= self.cut < LIMIT and self.cut % 8 == 0 and offset >= BLOCK and
                    self.cut <= self.zero_end <= (ordinal + 1) * length and
                    self.start_sequence <= cut_sequence < LIMIT):
                raise Refused('corrupt', 'pending truncation out of range', path, start + 40)

    def _check_state(self, path, offset, slot, generation, epoch, start, start_sequence, pending):
        if pending not in (0, 1):
            raise Refused('newer', 'unknown pending operation', path, offset + 32, '0 or 1', pending)
        if not (1 <= generation < LIMIT and slot == 1 + generation % 2 and 0 <= epoch < LIMIT and
                0 <= start < LIMIT and start % self.segment_length == 0 and 1 <= start_sequence < LIMIT):
            raise Refused('corrupt', 'impossible state', path, offset)


class Attested:
    """What journal.mark says, if anything: forced position, or None, and flag."""

    def __init__(self, path, meta):
        self.position, self.is_flag_raised = None, True
        try:
            data = read_file(path, MARK_LENGTH)
            check_block(data[:BLOCK], b'JRNLMARK', path, meta.uuid)
        except (FileNotFoundError, Refused):
            return
        slots = []
        for number in 0, 1:
            slot = data[BLOCK + 512 * number:BLOCK + 512 * number + 36]
            generation, epoch, position, sequence, checksum = struct.unpack('<qqqqI', slot)
            if (checksum == crc32c(slot[:32]) and 0 < generation < LIMIT and generation % 2 == number and
                    0 <= epoch < LIMIT and 0 <= position < LIMIT and 0 <= sequence < LIMIT):
                slots.append((generation, epoch, position, sequence))
        if slots:
            _, epoch, position, sequence = max(slots)
            self.is_flag_raised = struct.unpack_from('<q', data, 5120)[0] != 0
            if epoch == meta.epoch:
                self.position = position
            elif meta.is_cut_pending and epoch == meta.epoch - 1:
                self.position = min(position, meta.cut)


# Frames.

class Invalid(Exception):
    """Why there is no valid frame."""


class Frame:
    def __init__(self, segment, offset):
        data = segment.data
        rest = len(data) - offset
        assert offset % 8 == 0 and rest >= HEADER
        self.offset = offset
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
        if self.is_control and LENGTHS.get(self.tag, length) != length:
            raise Invalid('length of a control frame: %d' % stored)
        self.end = offset + length
        summed = offset + HEADER if self.is_padding else self.end
        self.is_mark = self.is_control and self.tag == MARK
        if offset == BLOCK and not self.is_mark:
            raise Invalid('no mark at the beginning of a segment')
        if offset not in segment.verified:
            if crc32c(data[offset + 8:summed]) ^ mix(segment.salt, offset, stored) != checksum:
                raise Invalid('checksum of a frame')
            segment.verified.add(offset)
        if not 0 <= self.sequence < LIMIT:
            raise Invalid('sequence out of range: %d' % self.sequence)

        if self.is_mark:
            self.forced, _, self.epoch, self.cut, self.term = struct.unpack_from('<qqqqq', data, offset + HEADER)
            if not 0 <= self.forced <= segment.position(offset):
                raise Invalid('mark attests what follows it: %d' % self.forced)
            if not 0 <= self.epoch < LIMIT or not 0 <= self.cut < LIMIT or self.cut % 8:
                raise Invalid('impossible truncation in a mark: %d at %d' % (self.epoch, self.cut))
        self.records = [] if self.is_control else [(self.sequence, self.tag, data[offset + HEADER:self.end])]
        self.next_sequence = self.sequence + len(self.records)
        self.next_offset = self.end + 7 & ~7


class Segment:
    def __init__(self, journal, ordinal):
        self.path = journal.segment_path(ordinal)
        self.ordinal = ordinal
        meta = journal.meta
        self.data = read_file(self.path, meta.segment_length)
        check_block(self.data[:BLOCK], b'JRNLSEGM', self.path, meta.uuid)
        found_ordinal, found_length, salt = struct.unpack_from('<qqQ', self.data, 48)
        if found_ordinal != ordinal:
            raise Refused('foreign', 'ordinal of another segment', self.path, 48, ordinal, found_ordinal)
        if found_length != meta.segment_length:
            raise Refused('foreign', 'another segment length', self.path, 56, meta.segment_length, found_length)
        self.salt = salt
        self.is_recycled = struct.unpack_from('<i', self.data, 16)[0] & 1 != 0
        self.start = ordinal * meta.segment_length
        self.verified = set()  # offsets of frames whose checksum held
        if meta.is_cut_pending and ordinal == meta.cut // meta.segment_length:
            # What the truncation is going to zero is not there.
            zeros = meta.zero_end - meta.cut
            start = meta.cut - self.start
            self.data = self.data[:start] + bytes(zeros) + self.data[start + zeros:]

    def position(self, offset):
        return self.start + offset

    def has_begun(self):
        return self.data[BLOCK:BLOCK + 4] != bytes(4)

    def content_end(self, start, sequence):
        """Behind the last byte that is not zero; of a recycled file, behind the last valid frame of the present life."""
        if not self.is_recycled:
            return start + len(self.data[start:].rstrip(b'\0'))
        end = start
        for at in range(start, len(self.data) - HEADER + 1, 8):
            try:
                frame = Frame(self, at)
                if frame.sequence >= sequence:
                    end = max(end, frame.next_offset)
            except Invalid:
                pass
        return end

    def marks_from(self, offset):
        """Valid marks at and behind an offset, whatever is between them. Their length is looked for first."""
        at = self.data.find(struct.pack('<i', -LENGTHS[MARK]), offset)
        while at >= 0:
            if at % 8 == 0 and len(self.data) - at >= HEADER:
                try:
                    frame = Frame(self, at)
                    if frame.is_mark:
                        yield frame
                except Invalid:
                    pass
            at = self.data.find(struct.pack('<i', -LENGTHS[MARK]), at + 1)


class Journal:
    """A journal whose end was found: docs/format.md, "Opening"."""

    def __init__(self, path):
        self.path = path
        names = os.listdir(path)
        for name in sorted(names):
            if name.endswith('.journal') and not re.fullmatch(r'[0-9]{20}\.journal', name):
                raise Refused('foreign', 'no name of a segment', os.path.join(path, name))
        ordinals = sorted(int(name[:20]) for name in names if name.endswith('.journal'))
        if 'journal.meta' not in names:
            raise self._without_meta(ordinals)
        self.meta = Meta(os.path.join(path, 'journal.meta'))
        self.attested = Attested(os.path.join(path, 'journal.mark'), self.meta)
        if self.meta.is_cut_pending and self.is_behind(self.attested.position, self.meta.cut):
            raise Refused('corrupt', 'attested behind a pending truncation', os.path.join(path, 'journal.mark'),
                          expected=self.meta.cut, found=self.attested.position)
        self.ordinals = self._check_set(ordinals)
        self.cache = {}
        self.is_clean = self._find_close()
        self._check_history(self.end // self.meta.segment_length if self.is_clean else self._scan())
        self._check_cursors()
        self.tail = self._measure_tail()

    def _without_meta(self, ordinals):
        if ordinals:
            return Refused('corrupt', 'segments without journal.meta', self.path)
        return Refused('absent', 'no journal here', self.path)

    def _check_set(self, ordinals):
        length = self.meta.segment_length
        first = self.meta.start // length
        kept = [ordinal for ordinal in ordinals if ordinal >= first]
        if self.meta.is_cut_pending:
            kept = [ordinal for ordinal in kept if ordinal <= self.meta.cut // length]
        for expected, found in zip(range(first, first + len(kept)), kept):
            if expected != found:
                raise Refused('corrupt', 'a segment is missing', self.segment_path(expected), found=found)
        last = self.meta.cut // length if self.meta.is_cut_pending else first
        if last not in kept:
            raise Refused('corrupt', 'a segment is missing', self.segment_path(last))
        return kept

    def segment_path(self, ordinal):
        return os.path.join(self.path, '%020d.journal' % ordinal)

    def segment(self, ordinal):
        if ordinal not in self.cache:
            while len(self.cache) * self.meta.segment_length > 64 << 20:
                self.cache.pop(min(self.cache))
            self.cache[ordinal] = Segment(self, ordinal)
        return self.cache[ordinal]

    def place(self, position):
        """The last of the positions that are the same place."""
        ordinal, offset = divmod(position, self.meta.segment_length)
        if self.meta.segment_length - offset < HEADER:
            ordinal, offset = ordinal + 1, BLOCK
        return ordinal * self.meta.segment_length + max(offset, BLOCK)

    def is_behind(self, position, other):
        return position is not None and self.place(position) > self.place(other)

    def _find_close(self):
        """After a clean close the end is where the mark file says. True if it was."""
        position = self.attested.position
        if position is None or self.attested.is_flag_raised:
            return False
        ordinal, end = divmod(position, self.meta.segment_length)
        offset = end - LENGTHS[CLOSE]
        if ordinal not in self.ordinals or offset < BLOCK or offset % 8:
            return False
        segment = self.segment(ordinal)
        if len(segment.data) - end < LENGTHS[MARK] or segment.data[end:end + 4] != bytes(4):
            return False
        try:
            frame = Frame(segment, offset)
        except Invalid:
            return False
        if not frame.is_control or frame.tag != CLOSE or self._first_mark(ordinal) is None:
            return False
        if any(mark.offset + LENGTHS[MARK] <= end + 65536 for mark in segment.marks_from(end)):
            return False
        if any(self.segment(later).has_begun() for later in self.ordinals if later > ordinal):
            return False
        self.end, self.end_sequence = position, frame.sequence
        return True

    def _scan(self):
        forced = self.attested.position
        known = -1 if forced is None else forced
        for ordinal in reversed(self.ordinals):
            mark = self._first_mark(ordinal)
            if mark is not None:
                known = max(known, mark.forced)
                break

        first = self.ordinals[0]
        if known >= 0:
            ordinal, offset = divmod(self.place(known), self.meta.segment_length)
            if offset == BLOCK:
                ordinal -= 1
            first = min(max(ordinal, first), self.ordinals[-1])

        highest, place, expected = known, None, None
        for frame, place, expected in self.walk(first, self.first_sequence(first)):
            if frame is None:
                break
            if frame.is_mark:
                highest = max(highest, frame.forced)
        ordinal, offset = divmod(place, self.meta.segment_length)
        for later in self.ordinals:
            if later >= ordinal:
                for mark in self.segment(later).marks_from(offset if later == ordinal else BLOCK):
                    highest = max(highest, mark.forced)
        if highest >= 0 and self.is_behind(highest, place):
            ordinal = min(ordinal, self.ordinals[-1])
            raise Refused('corrupt', 'no valid frame where more was forced', self.segment_path(ordinal),
                          offset, expected, 'forced to %d' % highest)
        self.end, self.end_sequence = place, expected
        return first

    def _check_history(self, first):
        """No segment from the first one scanned to the end is an older copy, from before a truncation."""
        cut = self.meta.cut if 0 <= self.meta.cut < LIMIT and self.meta.cut % 8 == 0 else 0
        epoch, end = self.meta.epoch, self.place(self.end)
        for ordinal in range((end - BLOCK - 1) // self.meta.segment_length, first - 1, -1):
            self._check_copy(ordinal, epoch, cut, end)
            mark = self._first_mark(ordinal)
            if mark is None:
                break
            epoch, cut, end = mark.epoch, mark.cut, ordinal * self.meta.segment_length

    def _check_older(self, ordinal):
        """The same for an older segment, by what the next one says."""
        end = (ordinal + 1) * self.meta.segment_length
        try:
            mark = self._first_mark(ordinal + 1) if self.end > end + BLOCK else None
        except (Refused, OSError):
            mark = None  # reported when the walk comes to it
        if mark is not None:
            self._check_copy(ordinal, mark.epoch, mark.cut, end)

    def _check_copy(self, ordinal, epoch, cut, end):
        length = self.meta.segment_length
        place = cut if length - cut % length >= LENGTHS[MARK] else cut - cut % length + length
        place = max(place, ordinal * length + BLOCK)
        limit = min(end, (ordinal + 1) * length)
        if cut == 0 or place >= limit:
            return
        segment, offset = self.segment(ordinal), place % length
        try:
            frame = Frame(segment, offset)
        except Invalid:
            frame = next((mark for mark in segment.marks_from(offset)
                          if mark.end <= limit - ordinal * length), None)
        if frame is None or not frame.is_mark or frame.epoch != epoch:
            raise Refused('corrupt', 'not what was written after the last truncation', segment.path, offset,
                          'mark of epoch %d' % epoch)

    def _first_mark(self, ordinal):
        segment = self.segment(ordinal)
        if not segment.has_begun():
            return None
        try:
            return Frame(segment, BLOCK)
        except Invalid:
            return None

    def first_sequence(self, ordinal):
        """What the first mark of a segment must say; None if that is to be learnt from it."""
        return self.meta.start_sequence if ordinal == self.ordinals[0] else None

    def walk(self, ordinal, expected, end=None):
        """Frames in order, each with its position and sequence; last None, where there is no valid one, or at end."""
        offset, in_batch = BLOCK, False
        while True:
            length = self.meta.segment_length
            if length - offset < HEADER:
                if in_batch:
                    raise Refused('corrupt', 'batch without its last record', self.segment_path(ordinal), offset)
                ordinal, offset = ordinal + 1, BLOCK
            position = ordinal * length + offset
            if ordinal > self.ordinals[-1] or (end is not None and position >= self.place(end)):
                yield None, position, expected
                return
            segment = self.segment(ordinal)
            try:
                frame = Frame(segment, offset)
                if end is None and not in_batch and expected in (None, frame.sequence):
                    self._check_batch(segment, frame)
            except Invalid as why:
                if end is not None:
                    raise Refused('corrupt', str(why), segment.path, offset, expected) from None
                yield None, position, expected
                return
            if expected is not None and frame.sequence != expected:
                raise Refused('corrupt', 'sequence of a frame', segment.path, offset, expected, frame.sequence)
            if frame.is_control and in_batch:
                raise Refused('corrupt', 'control frame within a batch', segment.path, offset)
            if frame.is_control and frame.tag & CRITICAL:
                raise Refused('newer', 'critical frame of an unknown kind', segment.path, offset, found=frame.tag)
            yield frame, position, frame.next_sequence
            expected, offset, in_batch = frame.next_sequence, frame.next_offset, frame.is_more

    @staticmethod
    def _check_batch(segment, frame):
        """A batch is there when its last frame is: looks ahead to it."""
        while frame.is_more:
            if len(segment.data) - frame.next_offset < HEADER:
                raise Invalid('batch without its last record')
            following = Frame(segment, frame.next_offset)
            if following.sequence != frame.next_sequence:
                raise Refused('corrupt', 'sequence of a frame', segment.path, following.offset, frame.next_sequence,
                              following.sequence)
            if following.is_control:
                raise Invalid('control frame within a batch')
            frame = following

    def _measure_tail(self):
        """Bytes behind the end that are not a journal's: to the last one in each segment that is not zero."""
        if self.is_clean:
            return 0
        ordinal, offset = divmod(self.place(self.end), self.meta.segment_length)
        tail = 0
        for later in self.ordinals:
            if later >= ordinal:
                start = offset if later == ordinal else BLOCK
                tail += self.segment(later).content_end(start, self.end_sequence) - start
        return tail

    def _check_cursors(self):
        """A cursor is not used if the record it was saved at is gone, or is of another term."""
        self.cursors = {}
        directory = os.path.join(self.path, 'cursors')
        for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else ():
            if re.fullmatch(r'[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\.cursor', name):
                path, consumer = os.path.join(directory, name), name[:-len('.cursor')]
                sequence = self._cursor(path, consumer.encode())
                if sequence is not None and self.end_sequence is not None and sequence >= self.end_sequence:
                    sequence = None
                self.cursors[consumer] = sequence

    def _cursor(self, path, name):
        """The sequence a cursor is at once no truncation is pending, or None if its file is not used."""
        try:
            data = read_file(path, META_LENGTH)
            check_block(data[:BLOCK], b'JRNLCURS', path, self.meta.uuid)
        except (FileNotFoundError, Refused):
            return None
        length, = struct.unpack_from('<i', data, 48)
        slots = []
        for slot in 1, 2:
            block = data[slot * BLOCK:(slot + 1) * BLOCK]
            if is_sealed(block):
                generation, term, sequence = struct.unpack_from('<qqq', block)
                if not (1 <= generation < LIMIT and slot == 1 + generation % 2 and 0 <= term < LIMIT and
                        0 <= sequence < LIMIT):
                    return None
                slots.append((generation, term, sequence))
        if not slots or length != len(name) or data[52:52 + length] != name:
            return None
        _, term, sequence = max(slots)
        if self.meta.is_cut_pending and sequence >= self.meta.cut_sequence - 1:
            return self.meta.cut_sequence - 1
        return sequence if self._is_of_term(sequence, term) else None

    def _is_of_term(self, sequence, term):
        """Whether the record of a sequence has a term: that of the last mark before it."""
        if sequence < self.meta.start_sequence:
            found = self.meta.start_term if sequence == self.meta.start_sequence - 1 else 0
            return found in (0, term)
        found, is_unknown = 0, False
        for ordinal in self.ordinals:
            if ordinal >= self.meta.start // self.meta.segment_length:
                try:
                    marks = list(self.segment(ordinal).marks_from(BLOCK))
                except Refused:
                    is_unknown = True
                    continue
                for mark in marks:
                    if mark.sequence > sequence:
                        return is_unknown or found in (0, term)
                    found, is_unknown = mark.term, False
        return is_unknown or found in (0, term)

    def records(self):
        first = self.ordinals[0]
        for frame, position, sequence in self.walk(first, self.first_sequence(first), self.end):
            if frame is not None:
                if frame.offset == BLOCK:
                    self._check_older(position // self.meta.segment_length)
                yield from frame.records
            elif self.end_sequence not in (None, sequence):
                raise Refused('corrupt', 'sequence at the end', self.path, None, self.end_sequence, sequence)


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
        'cleanlyClosed': journal.is_clean, 'tail': journal.tail, 'forced': journal.attested.position,
        'forceUnfinished': journal.attested.is_flag_raised, 'cursors': journal.cursors}})
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

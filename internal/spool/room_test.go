package spool

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestRoom_Full(t *testing.T) {
	dir := t.TempDir()
	setTemp(t, dir)
	synctest.Test(t, func(t *testing.T) {
		var m Memory
		room := NewRoom(6 * mib)
		first := read(t, &m, room, large)
		share := room.Share()
		if _, err := m.Read(bytes.NewReader(large), &share, unlimited, 12*mib); err != ErrNoRoom || !share.IsWaiting() {
			t.Fatalf("beside another body: %v, waiting %t, want %v",
				err, share.IsWaiting(), ErrNoRoom)
		}
		if used := m.used.Load(); used != 8*mib {
			t.Errorf("%d bytes of memory are used, want those of the other body", used)
		}
		done := make(chan error, 1)
		go func() { done <- share.Wait(t.Context()) }()
		synctest.Wait()
		if len(done) > 0 {
			t.Error("Wait returned before there was room")
		}
		first.Close()
		if err := <-done; err != nil || share.IsWaiting() {
			t.Errorf("Wait: %v, waiting %t", err, share.IsWaiting())
		}
		b, err := m.Read(bytes.NewReader(large), &share, unlimited, 12*mib)
		if err != nil {
			t.Fatal(err)
		}
		check(t, b, large)
		b.Close()
	})
	checkEmpty(t, dir)
}

func TestShare_CancelledWait(t *testing.T) {
	var m Memory
	room := NewRoom(6 * mib)
	first := read(t, &m, room, large)
	share := room.Share()
	if _, err := m.Read(bytes.NewReader(large), &share, unlimited, unlimited); err != ErrNoRoom {
		t.Fatalf("error %v, want %v", err, ErrNoRoom)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := share.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	first.Close()
	check(t, read(t, &m, room, large), large)
}

// A body that waited for room gives it back if it fits into memory after all.
func TestShare_UnusedRoomIsGivenBack(t *testing.T) {
	var m Memory
	room := NewRoom(6 * mib)
	share := room.Share()
	share.wanted = 6 * mib
	if err := share.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Read(bytes.NewReader(large[:mib]), &share, unlimited, unlimited); err != nil {
		t.Fatal(err)
	}
	check(t, read(t, &m, room, large), large)
}

// A body of unknown size holds no more room than it has needed.
func TestRoom_UnknownSizes(t *testing.T) {
	var m Memory
	room := NewRoom(9 * mib)
	for range 2 {
		check(t, read(t, &m, room, large), large)
	}
}

// A body larger than all the room there is may use it all, and more.
func TestRoom_SmallerThanABody(t *testing.T) {
	var m Memory
	room := NewRoom(mib)
	for range 2 {
		b := read(t, &m, room, large)
		check(t, b, large)
		b.Close()
	}
}

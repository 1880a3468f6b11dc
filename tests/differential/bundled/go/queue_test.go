package queue

import "testing"

func TestPush(t *testing.T) {
	q := New(1)
	if err := q.Push(&Job{ID: 1, Name: "one"}); err != nil {
		t.Fatalf("unexpected: %v", err)
	}
	for name, want := range map[string]int{"a": 1, "b": 2} {
		t.Run(name, func(t *testing.T) {
			if got := q.Len(); got != want {
				t.Errorf("got %d, want %d", got, want)
			}
		})
	}
}

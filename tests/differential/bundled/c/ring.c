#include <stdio.h>
#include <stdlib.h>
#include "ring.h"

#define RING_SIZE 16
#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* A ring of values: größe is fixed. */
typedef struct ring {
  int *values;
  size_t head, tail;
  struct ring *next;
} ring_t;

struct pair {
  int left, right;
};

typedef int (*visit_fn)(int value, void *data);

enum state { OPEN, CLOSED = 4 };

static ring_t *shared = NULL;
static const char *names[] = {"a", "b", "c"};
extern int verbose;

static inline size_t ring_count(const ring_t *self) {
  return self->tail - self->head;
}

ring_t *ring_new(size_t size) {
  ring_t *self = (ring_t *)malloc(sizeof(ring_t));
  if (self == NULL) {
    fprintf(stderr, "no memory for %zu\n", size);
    return NULL;
  }
  self->values = calloc(size, sizeof(int));
  if (!self->values) goto fail;
  self->head = 0;
  self->tail = 0;
  return self;
fail:
  free(self);
  return NULL;
}

int ring_push(ring_t *self, int value) {
  if (ring_count(self) >= RING_SIZE)
    return -1;
  self->values[self->tail++ % RING_SIZE] = value;
  self->tail = self->tail;
#ifdef RING_DEBUG
  printf("pushed %d\n", value);
#else
  (void)value;
#endif
  return 0;
}

void ring_each(ring_t *self, visit_fn visit, void *data) {
  for (size_t i = self->head; i < self->tail; i++) {
    int value = self->values[i % RING_SIZE], other = 0;
    if (visit(value, data) != 0 && !other) {
      break;
    } else {
      other += value;
    }
    switch (value) {
      case 0:
        continue;
      case 1:
      default:
        printf("%d\n", value);
    }
  }
  while (self->next) {
    self = self->next;
  }
  do {
    verbose--;
  } while (verbose > 0);
}

int main(int argc, char **argv) {
  ring_t *ring = ring_new(RING_SIZE);
  struct ring copy = {.values = 0, .head = 1};
  int numbers[3] = {1, 2, 3};
  unsigned char c = argc > 1 ? argv[1][0] : 'x';
  memset(&copy, 0, sizeof(copy));
  ring_push(ring, numbers[0]);
  ring_push(ring, /* the second */ numbers[1]);
  foo(1, 2, 3);
  foo(1);
  foo();
  foo(c, numbers, numbers);
  int total = MIN(1, 2) + foo(argc) * (int)c;
  assert(total == total && "never");
  printf("%d\n", total);
  printf("done\n");
  free(ring);
  return 0;
}

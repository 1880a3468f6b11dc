package com.example.depot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import static java.util.Objects.requireNonNull;

/** Where things are kept. */
@Service
public class Depot<T extends Item> extends AbstractDepot implements Iterable<T> {

  private static final String TAG = "Größe";
  private final Map<String, List<T>> items = new HashMap<>();
  protected int count = 0, limit;
  @Nullable private Listener listener;

  public Depot(int limit) {
    super("depot", limit);
    this.limit = limit;
  }

  @Override
  public Iterator<T> iterator() {
    return items.values().stream().flatMap(list -> list.stream()).iterator();
  }

  @Deprecated
  @Override
  public synchronized void add(final String name, T item, String... tags) throws FullException {
    if (count >= limit) {
      throw new FullException("full: " + name, limit);
    } else if (item == null) {
      return;
    }
    List<T> list = items.get(name);
    if (list == null) {
      list = new ArrayList<>();
      items.put(name, list);
    }
    if (list.isEmpty()) {
      count = 0;
    } else {
      count += list.size();
    }
    list.add(item);
    this.count = this.count + 1;
    count++;
    Log.d(TAG, "added " + name);
    Log.d(TAG, "added", /* which */ name);
    System.out.println(name);
    System.out.println();
  }

  public static <K> K first(List<K> list) {
    requireNonNull(list);
    for (int i = 0; i < list.size(); i++) {
      K found = list.get(i);
      if (found != null && found.equals(found)) {
        return found;
      }
    }
    for (K each : list) {
      System.out.println(each);
    }
    return null;
  }

  private Object read(String path) {
    try (Reader reader = new Reader(path)) {
      return (Object) reader.readAll();
    } catch (IOException | RuntimeException e) {
      Log.e(TAG, "cannot read", e);
      throw new IllegalStateException(e);
    } finally {
      count = 0;
    }
  }

  int[] sizes(int kind) {
    int[] sizes = new int[] {1, 2, 3};
    switch (kind) {
      case 0:
        break;
      default:
        sizes[kind] = kind > 1 ? kind : -kind;
    }
    Runnable run = () -> { count += kind; };
    Runnable other = this::reset;
    new Thread(run).start();
    synchronized (this) {
      while (count > 0) {
        count--;
      }
    }
    foo(1, 2, 3);
    foo(1);
    foo();
    foo(kind, count, count);
    assert count == 0 : "left over";
    listener.onEvent(new Event() {
      @Override
      public void fire() {
        run.run();
      }
    });
    return sizes;
  }

  interface Listener {
    void onEvent(Event event);
  }

  class Plain {
    int size;
  }

  enum Kind { SMALL, LARGE }
}


import multiprocessing, sys
import serial_graphs as graphs
if __name__ == "__main__":
    with multiprocessing.get_context('fork').Pool(1) as pool:
        roots = pool.apply(graphs.change, (graphs.graph(),))
        assert graphs.is_whole(roots) and roots[2].value == "seen"
        print("whole")
